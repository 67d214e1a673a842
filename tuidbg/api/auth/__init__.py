"""Who may call a server, and the limits of each request."""
