"""Completion scripts and the man page, generated from the commands and their parsers."""
