"""The command line: arguments become a plan, and a front end runs it."""
