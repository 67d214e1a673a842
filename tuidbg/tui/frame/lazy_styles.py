"""Component styles that are worked out when they are first painted with.

Textual works out all of a widget's component classes at each change of its styles, which was a
third of the time to the first picture; most of them are not needed for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.css.styles import RenderStyles
from textual.dom import DOMNode
from textual.widget import Widget

if TYPE_CHECKING:
    _Base = Widget
else:
    _Base = object  # Textual takes the styles of a class's first widget base: a mixin is none


class LazyStyles(_Base):
    """For a widget whose component styles are worked out when they are asked for.

    From then on they are kept up to date by Textual, as all are in other widgets.
    """

    if not TYPE_CHECKING:  # a class method of Textual's, which asks an instance

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
