"""The processes of a program as one job: which rank each is."""
