"""Threads, frames and tasks of the stopped program."""
