"""What the person wants, before anything runs."""
