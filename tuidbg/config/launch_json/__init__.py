"""``.vscode/launch.json``, parsed and converted to plans."""
