"""The start screen: the offers of a folder, and a line for a command."""
