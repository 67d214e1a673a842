"""The MCP server for agents, on the sessions that the user watches."""
