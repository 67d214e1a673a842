"""The start screen: suggestions for a folder, and a command line."""
