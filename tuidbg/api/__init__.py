"""The front end for programs: REST, the command bridge, later MCP; all on one hub of sessions."""
