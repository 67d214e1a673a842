"""What is remembered between runs: files in the user's state folder."""
