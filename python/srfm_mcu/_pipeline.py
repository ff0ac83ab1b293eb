"""Pipelines of scikit-learn as models."""

import json

import numpy as np
from sklearn.kernel_approximation import RBFSampler
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_array, check_is_fitted

from srfm_mcu import _srfm_mcu
from srfm_mcu._regressor import SrfmRegressor


def from_pipeline(pipeline, X, *, core="cortex-m4f"):
    """Turns a fitted pipeline of random Fourier features into a model.

    Parameters
    ----------
    pipeline : Pipeline
        A ``StandardScaler``, which may be absent, an ``RBFSampler`` and a linear regressor such as ``Ridge``, fitted.
    X : array-like of shape (n_samples, n_features)
        Rows of readings, best those of the fit. Predictions of the model stay within those of these rows and a margin.
    core : str, default="cortex-m4f"
        One of ``srfm_mcu.cores()``. A core without floating point gets integers.

    Returns
    -------
    model : SrfmRegressor
        Fitted, with costs, files and C source. It has no intervals.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from sklearn.kernel_approximation import RBFSampler
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> import srfm_mcu
    >>> X, y = make_friedman1(200, random_state=0)
    >>> pipeline = make_pipeline(StandardScaler(), RBFSampler(gamma=0.05, random_state=0), Ridge(0.1))
    >>> model = srfm_mcu.from_pipeline(pipeline.fit(X, y), X)
    >>> bool(abs(model.predict(X) - pipeline.predict(X)).max() < 0.01)
    True
    """
    scaler, sampler, linear = _steps(pipeline)
    check_is_fitted(pipeline)
    rows = check_array(X, dtype=np.float64)
    if rows.shape[1] != sampler.n_features_in_:
        raise ValueError(f"X has {rows.shape[1]} columns, but the pipeline was fitted to {sampler.n_features_in_}")
    frequencies, phases = sampler.random_weights_, sampler.random_offset_
    # cos⟨w, (x - mean) / scale⟩ + b is a wave of raw readings with frequencies w / scale.
    if scaler is not None and scaler.scale_ is not None:
        frequencies = frequencies / scaler.scale_[:, None]
    if scaler is not None and scaler.mean_ is not None and scaler.with_mean:
        phases = phases - scaler.mean_ @ frequencies
    coefficients = np.sqrt(2 / sampler.n_components) * np.atleast_2d(linear.coef_).T
    intercept = np.broadcast_to(linear.intercept_, coefficients.shape[1])
    y = np.asarray(pipeline.predict(X), dtype=np.float64)
    model = SrfmRegressor(core=core)
    model.n_features_in_ = rows.shape[1]
    if hasattr(pipeline, "feature_names_in_"):
        model.feature_names_in_ = pipeline.feature_names_in_
    inputs = [str(name) for name in getattr(model, "feature_names_in_", [f"x{i}" for i in range(rows.shape[1])])]
    model._is_single = y.ndim == 1
    outputs = ["y"] if model._is_single else [f"y{i}" for i in range(y.shape[1])]
    arrays = (rows, y.reshape(len(y), -1), np.vstack([frequencies, phases]), np.vstack([coefficients, intercept]))
    arrays = [np.ascontiguousarray(array, dtype=np.float64) for array in arrays]
    fitted, report = _srfm_mcu.cosines(*arrays, (inputs, outputs), core)
    model._names = inputs, outputs, []
    model._keep(fitted, json.loads(report))
    return model


def _steps(pipeline):
    """Returns scaler or none, sampler and linear regressor."""
    steps = [step for _, step in pipeline.steps] if isinstance(pipeline, Pipeline) else [pipeline]
    scaler = steps.pop(0) if isinstance(steps[0], StandardScaler) else None
    if len(steps) == 2 and isinstance(steps[0], RBFSampler) and hasattr(steps[1], "predict"):
        check_is_fitted(steps[1])
        if hasattr(steps[1], "coef_") and not hasattr(steps[1], "classes_"):
            return scaler, *steps
    names = " → ".join(type(step).__name__ for step in ([] if scaler is None else [scaler]) + steps)
    raise ValueError(
        f"{names} is no pipeline that can become a model; give StandardScaler (or none), RBFSampler and a linear "
        "regressor such as Ridge"
    )
