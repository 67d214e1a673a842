"""All sessions of a process, and the clients that share them."""
