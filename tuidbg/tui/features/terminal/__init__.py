"""The program's terminal among the panes."""
