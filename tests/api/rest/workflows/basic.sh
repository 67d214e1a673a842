#!/bin/bash
# Basic debug session workflow

BASE_URL="http://localhost:5679/api/v1"

# 1. Create a debug session
echo "=== Creating session ==="
SESSION=$(curl -s -X POST "$BASE_URL/sessions" \
  -H "Content-Type: application/json" \
  -d '{
    "name": "csv-processor-debug",
    "project_root": "/Users/dev/myproject"
  }')
SESSION_ID=$(echo $SESSION | jq -r '.data.session_id')
echo "Session ID: $SESSION_ID"

# 2. Set a breakpoint at line 25 where data processing happens
echo "=== Setting breakpoint ==="
curl -s -X POST "$BASE_URL/sessions/$SESSION_ID/breakpoints" \
  -H "Content-Type: application/json" \
  -d '{
    "breakpoints": [
      {
        "source": {"path": "/Users/dev/myproject/main.py"},
        "line": 25
      }
    ]
  }' | jq '.data.breakpoints'

# 3. Launch the program
echo "=== Launching program ==="
curl -s -X POST "$BASE_URL/sessions/$SESSION_ID/launch" \
  -H "Content-Type: application/json" \
  -d '{
    "script": "/Users/dev/myproject/main.py",
    "args": ["--input", "data.csv"],
    "cwd": "/Users/dev/myproject"
  }' | jq '.data'

# 4. Poll for breakpoint hit
echo "=== Waiting for breakpoint ==="
while true; do
  STATUS=$(curl -s "$BASE_URL/sessions/$SESSION_ID" | jq -r '.data.status')
  if [ "$STATUS" = "paused" ]; then
    echo "Paused!"
    break
  fi
  sleep 0.5
done

# 5. Get current location
echo "=== Current location ==="
curl -s "$BASE_URL/sessions/$SESSION_ID" | jq '.data.current_location'

# 6. Get stack trace
echo "=== Stack trace ==="
curl -s "$BASE_URL/sessions/$SESSION_ID/stacktrace" | jq '.data.frames'

# 7. Get local variables
echo "=== Getting scopes ==="
SCOPES=$(curl -s "$BASE_URL/sessions/$SESSION_ID/scopes?frame_id=0")
LOCALS_REF=$(echo $SCOPES | jq -r '.data.scopes[0].variables_reference')

echo "=== Local variables ==="
curl -s "$BASE_URL/sessions/$SESSION_ID/variables?variables_reference=$LOCALS_REF" | jq '.data.variables'

# 8. Evaluate an expression
echo "=== Evaluating expression ==="
curl -s -X POST "$BASE_URL/sessions/$SESSION_ID/evaluate" \
  -H "Content-Type: application/json" \
  -d '{"expression": "len(data)"}' | jq '.data'

# 9. Step over
echo "=== Step over ==="
curl -s -X POST "$BASE_URL/sessions/$SESSION_ID/step-over" | jq '.data.current_location'

# 10. Continue execution
echo "=== Continuing ==="
curl -s -X POST "$BASE_URL/sessions/$SESSION_ID/continue" | jq '.data'

# 11. Wait for completion
echo "=== Waiting for completion ==="
while true; do
  STATUS=$(curl -s "$BASE_URL/sessions/$SESSION_ID" | jq -r '.data.status')
  if [ "$STATUS" = "terminated" ]; then
    echo "Program terminated"
    break
  fi
  sleep 0.5
done

# 12. Get output
echo "=== Program output ==="
curl -s "$BASE_URL/sessions/$SESSION_ID/output" | jq '.data.entries'

# 13. Cleanup
echo "=== Cleaning up ==="
curl -s -X DELETE "$BASE_URL/sessions/$SESSION_ID" | jq '.data'
