"""``.vscode/launch.json``: read, understood, and turned into plans."""
