"""Answers what clients ask for: a class for each noun of DAP's requests."""
