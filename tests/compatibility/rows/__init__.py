"""All rows; importing this registers them, in the order of the page."""

from tests.compatibility.rows import servers  # isort: skip
from tests.compatibility.rows import workers  # isort: skip
from tests.compatibility.rows import loops  # isort: skip
from tests.compatibility.rows import packed  # isort: skip
from tests.compatibility.rows import screens  # isort: skip
from tests.compatibility.rows import data  # isort: skip
from tests.compatibility.rows import interpreters

__all__ = ["data", "interpreters", "loops", "packed", "screens", "servers", "workers"]
