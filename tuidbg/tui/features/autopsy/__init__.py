"""The autopsy of an exception on the screen."""
