"""Errors of the library with the keywords of Python, beside the sentences of the command and the library."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

from srfm_mcu import SrfmRegressor

MESSAGES = json.loads((Path(__file__).parents[2] / "tests" / "messages.json").read_text())


def table(rows):
    """Returns the rows that the test of the command fits."""
    i = np.arange(rows)
    a, b = i * 0.37 % 3.0, i * 0.91 % 2.0
    return np.column_stack([a, b]), np.sin(a) + b


def gaps():
    return np.array([[1, 2], [1, np.nan], [2, 3], [3, 4]]), np.array([3, 3, 4, 5])


@pytest.mark.parametrize(
    ("error", "settings", "rows"),
    [
        ("budget too small", {"method": "linear", "flash": 40}, table(40)),
        ("order beyond inputs", {"method": "harfe", "order": 9}, table(40)),
        ("missing values", {"method": "harfe"}, gaps()),
        ("too few rows for folds", {"method": "harfe"}, table(3)),
    ],
)
def test_every_front_end_names_settings_in_its_own_way(error, settings, rows):
    with pytest.raises(ValueError) as raised:
        SrfmRegressor(**settings).fit(*rows)
    assert str(raised.value) == MESSAGES[error]["python"]


def test_every_error_of_the_table_is_tested():
    assert len(MESSAGES) == 4


def test_settings_of_methods_stand_in_the_keyword_settings():
    X, y = table(40)
    with pytest.raises(ValueError) as raised:
        SrfmRegressor(method="gfc", settings={"batch": 3}, order=1, lambdas=[1e-3]).fit(X, y)
    advice = 'add rows, or lower settings["folds"] and raise settings["batch"]'
    assert str(raised.value) == f"3 rows are too few for the folds of a descent, which takes at least 5; {advice}"
    with pytest.raises(ValueError) as raised:
        SrfmRegressor(method="harfe", terms="linear", lambdas=[0.1]).fit(np.eye(4, 6) + 0.5, np.arange(4.0))
    assert str(raised.value).endswith('; add rows, or set terms="intercept"')


def test_a_penalty_that_the_device_needs_is_said():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, 200)
    X, y = np.column_stack([x, x + 1e-7 * rng.normal(size=200), x > 0]), np.sin(3 * x) + 0.1 * rng.normal(size=200)
    with pytest.warns(UserWarning, match="could not reproduce the model of the chosen settings; λ was raised to"):
        model = SrfmRegressor("harfe", features=30, lambdas=[1e-14]).fit(X, y)
    assert model.report_["raised"] and model.report_["lambda"] > 1e-14
    with pytest.raises(ValueError, match="no intervals: the device could not hold the chosen settings.*; set terms="):
        model.predict_interval(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not SrfmRegressor("harfe", features=30, lambdas=[1e-6]).fit(X, y).report_["raised"]
