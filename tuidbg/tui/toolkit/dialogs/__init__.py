"""Dialogs: small modal screens that ask one question and return the answer."""
