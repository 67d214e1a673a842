"""The processes of a program as one job, on the screen."""
