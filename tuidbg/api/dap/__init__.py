"""DAP for editors: tuidbg as a debug adapter, whose clients join the same live sessions."""
