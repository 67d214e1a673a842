"""Who may come in, with what, and what they may do."""
