"""Surrounds the panes: layout, titles, status, theme, help."""
