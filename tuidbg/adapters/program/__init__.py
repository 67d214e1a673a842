"""The program's own process and terminal, as seen by the system."""
