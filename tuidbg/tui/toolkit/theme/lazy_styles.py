"""Component styles computed when first used.

Textual computes all component classes of a widget at each change of its styles, which took a third
of the time to the first picture; most of them are not needed for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.css.styles import RenderStyles
from textual.dom import DOMNode
from textual.widget import Widget

if TYPE_CHECKING:
    _Base = Widget
else:
    _Base = object  # Textual inherits styles from the first widget base: not from a mixin


class LazyStyles(_Base):
    """A mixin for widgets whose component styles are computed on demand.

    Afterwards Textual keeps them up to date, as it does for all styles of other widgets.
    """

    if not TYPE_CHECKING:  # a class method of Textual's, which reads an instance

        def _get_component_classes(self) -> frozenset[str]:
            return frozenset(self._component_styles)

    def get_component_styles(self, *names: str) -> RenderStyles:
        known = type(self)._all_component_classes()
        for name in names:
            if name in known and name not in self._component_styles:
                component = DOMNode(classes=name)
                component._attach(self)
                self.app.stylesheet.apply(component, animate=False)
                self._component_styles[name] = component.styles
        return super().get_component_styles(*names)

    @classmethod
    def _all_component_classes(cls) -> frozenset[str]:
        return Widget._get_component_classes.__func__(cls)  # type: ignore[attr-defined, no-any-return]
