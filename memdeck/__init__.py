"""The library under the name that `pip` installs: `from memdeck import Memory` is `engine.api`, whole."""

from engine.api import *  # noqa: F403
from engine.api import __all__ as __all__
