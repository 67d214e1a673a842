"""Threads, frames and tasks on the screen."""
