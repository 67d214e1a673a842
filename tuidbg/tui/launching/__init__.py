"""Launch and attach dialogs."""
