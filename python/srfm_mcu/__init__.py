"""Sparse random feature models for microcontrollers.

``SrfmRegressor``, ``SrfmClassifier`` and ``SrfmNovelty`` follow scikit-learn's conventions. What they predict is what
the device computes, bit for bit.

>>> from sklearn.datasets import make_friedman1
>>> from srfm_mcu import SrfmRegressor
>>> X, y = make_friedman1(500, noise=1, random_state=0)
>>> model = SrfmRegressor(flash=512, effort=1).fit(X, y)
>>> model.flash_bytes_ <= 512
True
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from srfm_mcu._classifier import SrfmClassifier
    from srfm_mcu._files import load
    from srfm_mcu._novelty import SrfmNovelty
    from srfm_mcu._pipeline import from_pipeline
    from srfm_mcu._regressor import SrfmRegressor
    from srfm_mcu._scoring import scorer
    from srfm_mcu._srfm_mcu import boards, cores, methods

#: The module of each public name. It is loaded when the name is first used: the command needs none of them, and starts
#: without scikit-learn.
_MODULES = {
    "SrfmClassifier": "_classifier",
    "SrfmNovelty": "_novelty",
    "SrfmRegressor": "_regressor",
    "boards": "_srfm_mcu",
    "cores": "_srfm_mcu",
    "from_pipeline": "_pipeline",
    "load": "_files",
    "methods": "_srfm_mcu",
    "scorer": "_scoring",
}

__all__ = list(_MODULES)


def __getattr__(name):
    if name == "__version__":
        from importlib.metadata import version

        return version("srfm-mcu")
    if module := _MODULES.get(name):
        globals()[name] = value = getattr(import_module(f"srfm_mcu.{module}"), name)
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *_MODULES, "__version__"])
