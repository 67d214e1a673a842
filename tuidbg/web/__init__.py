"""The debugger in a browser, where a terminal is not to be had (``tuidbg web``)."""
