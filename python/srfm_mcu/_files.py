"""Model files."""

import json
import os

import numpy as np

from srfm_mcu import _novelty, _srfm_mcu
from srfm_mcu._classifier import SrfmClassifier
from srfm_mcu._regressor import SrfmRegressor


def load(path):
    """Reads a model file that ``save`` or the command ``srfm fit`` wrote.

    Parameters
    ----------
    path : str or path-like
        The file. The description beside it, with the ending ``.json``, gives the names of the columns.

    Returns
    -------
    model : SrfmRegressor, SrfmClassifier or SrfmNovelty
        Fitted. It predicts and writes files as the model that was saved. Labels are integers where all are whole
        numbers, and text otherwise. The settings of the fit, ``report_`` and ``search_results_`` are not in the
        file; ``importance_`` is rounded to 1/255. Without a description, rows may have NaN.
    """
    with open(path, "rb") as file:
        content = file.read()
    try:
        model = _srfm_mcu.Model(content)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    description = f"{os.fspath(path)}.json"
    if os.path.exists(description):
        model = _described(content, description)
    return _estimator(model)


def _described(content, path):
    """Returns the model with the description in the file ``path``."""
    try:
        with open(path, encoding="utf-8") as file:
            return _srfm_mcu.Model(content, file.read())
    except UnicodeDecodeError:
        problem = "is no text in UTF-8"
    except ValueError as error:
        problem = str(error).removeprefix("the description: ")
    raise ValueError(f"{path}: {problem}; remove this file to load the model without its names")


def _estimator(model):
    """Returns the estimator of a model."""
    method, number, inputs, outputs, _ = model.shape()
    description = json.loads(model.description() or "{}")
    classes = model.classes()
    is_novelty = description.get("novelty", False)
    kind = _novelty.SrfmNovelty if is_novelty else SrfmClassifier if classes else SrfmRegressor
    estimator = kind(
        method=method if method in _srfm_mcu.methods() else None,
        number=number,
        missing=description.get("missing", "drop"),
    )
    names = [entry["name"] for entry in description.get("inputs", [])]
    count, readings = model.readings()
    # Rows without names have the usual ones.
    if readings not in ([], [f"x{i}" for i in range(count)]):
        estimator.feature_names_in_ = np.array(readings, dtype=object)
    if classes and not is_novelty:
        estimator.classes_ = _labels(classes)
        estimator.confidence = model.confidence()
    targets = description.get("targets") or [f"y{output}" for output in range(outputs)]
    estimator.n_features_in_, estimator.model_ = count, model
    estimator._is_single = outputs == 1
    estimator._names = names or [f"x{i}" for i in range(inputs)], targets, classes
    importance = model.importance()
    estimator.search_results_ = None
    estimator._importance = np.array(importance if importance else [np.nan] * inputs)
    return estimator


def _labels(classes):
    """Returns labels as integers where all of them are, and as text otherwise."""
    whole = all(label.lstrip("-").isdecimal() and str(int(label)) == label for label in classes)
    return np.array([int(label) for label in classes] if whole else classes)
