"""The manual: a page (``*.md``) a topic, read by ``tuidbg help`` and by the help inside (F1)."""
