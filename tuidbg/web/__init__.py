"""The debugger in a browser, where there is no terminal (``tuidbg web``)."""
