"""The autopsy of an exception."""
