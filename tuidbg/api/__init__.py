"""The programmatic front ends (REST, command bridge, MCP, DAP), all on one session hub."""
