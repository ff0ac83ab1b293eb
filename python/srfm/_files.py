"""Model files."""

import os

from srfm import _srfm


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
        ``predict``, ``decide`` and ``outside`` take rows as arrays of ``float64``.
    """
    with open(path, "rb") as file:
        content = file.read()
    try:
        description = f"{os.fspath(path)}.json"
        if not os.path.exists(description):
            return _srfm.Model(content)
        with open(description, encoding="utf-8") as file:
            return _srfm.Model(content, file.read())
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
