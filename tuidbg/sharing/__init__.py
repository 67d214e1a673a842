"""Session sharing with other terminals: the socket, its host, its client."""
