"""What is done in a program before debugpy is imported there."""

from __future__ import annotations
