"""The processes of a program as one job."""
