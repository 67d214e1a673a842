"""Expressions over recorded values, reckoned out here: nothing is executed."""
