"""DAP for editors: tuidbg as a debug adapter, whose clients share live sessions."""
