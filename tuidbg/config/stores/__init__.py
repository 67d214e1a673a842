"""State between runs, in files of the user's state folder."""
