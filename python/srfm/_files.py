"""Model files."""

import json
import os

import numpy as np
from sklearn.utils.validation import check_array

from srfm import _srfm


class Model:
    """A model that was read from a file.

    Besides what is documented here it has ``bytes``, ``c_source``, ``flash_bytes`` and ``instructions``.

    Attributes
    ----------
    feature_names_in_ : list of str or None
        Names of the inputs; None without the description that lies beside a model file.
    """

    def __init__(self, model):
        self._model = model
        description = model.description()
        self.feature_names_in_ = description and [entry["name"] for entry in json.loads(description)["inputs"]]

    def __repr__(self):
        method, number, inputs, outputs, features = self._model.shape()
        return (
            f"<srfm model by {method} in {number}: {inputs} inputs, {features} features, {outputs} outputs, "
            f"{self._model.flash_bytes()} bytes>"
        )

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._model, name)

    def __reduce__(self):
        return Model, (self._model,)

    def predict(self, X):
        """Returns what the device computes: quantities, or the scores of classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of readings. A frame has the columns of the fit in their order.

        Returns
        -------
        y : ndarray of float32 of shape (n_samples,) or (n_samples, n_outputs)
        """
        y = self._model.predict(self._rows(X))
        return y[:, 0] if y.shape[1] == 1 else y

    def decide(self, X):
        """Returns the number of the class that the device decides for, from 0, for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of readings.

        Returns
        -------
        numbers : ndarray of shape (n_samples,)
        """
        return self._model.decide(self._rows(X))

    def outside(self, X):
        """Returns how many readings of each row are outside of the range of the fitted rows; None without ranges.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of readings.

        Returns
        -------
        counts : ndarray of shape (n_samples,) or None
        """
        return self._model.outside(self._rows(X))

    def _rows(self, X):
        """Returns rows as the library takes them."""
        columns, names = getattr(X, "columns", None), self.feature_names_in_
        if columns is not None and names is not None and all(isinstance(column, str) for column in columns):
            if list(columns) != names:
                raise ValueError(f"the columns are {', '.join(columns)}, but the model has {', '.join(names)}")
        rows = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan")
        return np.ascontiguousarray(rows)


def load(path):
    """Reads a model file that ``save`` or the command ``srfm fit`` wrote.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    model : Model
        With the names of its columns where the description is beside the file.
    """
    with open(path, "rb") as file:
        content = file.read()
    try:
        description = f"{os.fspath(path)}.json"
        if not os.path.exists(description):
            return Model(_srfm.Model(content))
        with open(description, encoding="utf-8") as file:
            return Model(_srfm.Model(content, file.read()))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
