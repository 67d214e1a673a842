"""The sessions of this process, and the clients sharing them."""
