"""What surrounds the panes: layout, titles, status, theme, help."""
