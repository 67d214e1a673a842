"""Project tasks beside debugging: builds, restarts on change."""
