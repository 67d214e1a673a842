"""The processes of a program as one job: ranks, locations, and outliers."""
