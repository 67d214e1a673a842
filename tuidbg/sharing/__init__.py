"""People who join a session from another terminal: the socket, its host, its client."""
