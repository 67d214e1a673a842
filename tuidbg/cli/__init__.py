"""The command line: what is typed becomes a plan, and a front end is run on it."""
