"""The way in for agents: MCP tools on the sessions that a person watches."""
