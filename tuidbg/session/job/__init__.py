"""The processes of a program as one job: its ranks, where each stands, and who stands elsewhere."""
