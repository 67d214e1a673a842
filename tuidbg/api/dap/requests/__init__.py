"""Request handlers of DAP, a class for each subject."""
