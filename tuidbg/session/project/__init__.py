"""Does what is done with a project beside debugging it: builds, restarts on change."""
