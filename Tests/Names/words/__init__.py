"""The rules for old words, one module for each subject."""

import functools
import importlib
import pkgutil


@functools.cache
def modules():
    """All modules of this package, by name."""
    return [importlib.import_module(f"{__name__}.{each.name}") for each in pkgutil.iter_modules(__path__)]
