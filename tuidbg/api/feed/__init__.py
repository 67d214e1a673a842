"""The events of a session in DAP's terms, and its output, as clients read them."""
