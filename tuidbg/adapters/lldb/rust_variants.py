"""A fix for the enum variants of rustc's formatters; LLDB loads this file after them.

LLDB keeps 32 bits of a variant's discriminant, and the formatters compare all of it: an
``Option<String>`` of ``None``, encoded in the highest of 64 bits, was shown as ``Some("")``. It
runs in LLDB's own Python, which can't import tuidbg.
"""

import importlib
from typing import Any

_KEPT = 0xFFFF_FFFF


def __lldb_init_module(debugger: Any, internal: Any) -> None:
    providers: Any = importlib.import_module("lldb_providers")
    provider = getattr(providers, "ClangEncodedEnumProvider", None)
    if provider is not None:
        provider._getCurrentVariantIndex = current_variant


def current_variant(provider: Any, variants: Any) -> int:
    """Return the present one of the ``variants``: by its number, else the one without any."""
    default = 0
    for index in range(variants.GetNumChildren()):
        variant = variants.GetChildAtIndex(index)
        known_by = variant.GetChildMemberWithName(provider.DISCRIMINANT_MEMBER_NAME)
        if not known_by.IsValid():
            default = index
            continue
        number = known_by.GetValueAsUnsigned()
        if variant.GetName() in (f"$variant${number}", f"$variant${number & _KEPT}"):
            return index
    return default
