"""The frame around the panes: layout, titles, status, theme, help."""
