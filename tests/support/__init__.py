"""Holds what several tests share."""
