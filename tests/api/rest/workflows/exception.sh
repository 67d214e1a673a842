#!/bin/bash
# Exception debugging example

BASE_URL="http://localhost:5679/api/v1"

# Create session
SESSION_ID=$(curl -s -X POST "$BASE_URL/sessions" \
  -H "Content-Type: application/json" \
  -d '{"name": "exception-debug"}' | jq -r '.data.session_id')

# Launch with stop_on_exception enabled
curl -s -X POST "$BASE_URL/sessions/$SESSION_ID/launch" \
  -H "Content-Type: application/json" \
  -d '{
    "script": "/Users/dev/myproject/buggy_script.py",
    "stop_on_exception": true
  }'

# Poll for exception stop
while true; do
  RESPONSE=$(curl -s "$BASE_URL/sessions/$SESSION_ID")
  STATUS=$(echo $RESPONSE | jq -r '.data.status')
  REASON=$(echo $RESPONSE | jq -r '.data.stop_reason')
  
  if [ "$STATUS" = "paused" ] && [ "$REASON" = "exception" ]; then
    echo "=== Exception caught! ==="
    echo $RESPONSE | jq '.data.exception'
    break
  elif [ "$STATUS" = "terminated" ]; then
    echo "Program terminated without catching exception"
    break
  fi
  sleep 0.5
done

# Get detailed stack trace at exception point
echo "=== Stack trace at exception ==="
curl -s "$BASE_URL/sessions/$SESSION_ID/stacktrace" | jq '.data.frames'

# Inspect variables at the crash site
SCOPES=$(curl -s "$BASE_URL/sessions/$SESSION_ID/scopes?frame_id=0")
LOCALS_REF=$(echo $SCOPES | jq -r '.data.scopes[0].variables_reference')

echo "=== Variables at crash ==="
curl -s "$BASE_URL/sessions/$SESSION_ID/variables?variables_reference=$LOCALS_REF" | jq '.data.variables'

# Evaluate what caused the exception
echo "=== Diagnosing cause ==="
curl -s -X POST "$BASE_URL/sessions/$SESSION_ID/evaluate" \
  -H "Content-Type: application/json" \
  -d '{"expression": "type(problematic_var)"}' | jq '.data'

curl -s -X POST "$BASE_URL/sessions/$SESSION_ID/evaluate" \
  -H "Content-Type: application/json" \
  -d '{"expression": "repr(problematic_var)"}' | jq '.data'

# Cleanup
curl -s -X DELETE "$BASE_URL/sessions/$SESSION_ID"
