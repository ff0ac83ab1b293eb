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

from srfm_mcu._classifier import SrfmClassifier
from srfm_mcu._files import load
from srfm_mcu._novelty import SrfmNovelty
from srfm_mcu._pipeline import from_pipeline
from srfm_mcu._regressor import SrfmRegressor
from srfm_mcu._scoring import scorer
from srfm_mcu._srfm_mcu import boards, cores, methods

__all__ = [
    "SrfmClassifier",
    "SrfmNovelty",
    "SrfmRegressor",
    "boards",
    "cores",
    "from_pipeline",
    "load",
    "methods",
    "scorer",
]


def __getattr__(name):
    if name == "__version__":
        from importlib.metadata import version

        return version("srfm-mcu")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
