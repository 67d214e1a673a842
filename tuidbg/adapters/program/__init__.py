"""The program's own process and terminal, as the system shows them."""
