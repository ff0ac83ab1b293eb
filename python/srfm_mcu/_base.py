"""What the estimators share."""

import json
import sys
import warnings

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from srfm_mcu import _frames, _logs, _srfm_mcu, _values, _workers
from srfm_mcu._fitted import Fitted

#: What all estimators take; their documentation includes it.
PARAMETERS = """
    method : str or None, default=None
        Name of the method, one of ``srfm_mcu.methods()``, or ``"auto"`` for a search among methods, settings, input
        warps and inputs to leave out. None stands for "auto".
    features : int, default=None
        Largest number of features. None leaves it to the method (100, of "rules" 300) or to the search (100); within a
        budget, the search and "rules" have 1000.
    order : int or list of int, default=None
        Inputs per feature; cross-validation chooses from a list.
    terms : {"none", "intercept", "linear", "ridge"}, default=None
        Terms beside the features. Those of "ridge" have a penalty of their own, which cross-validation chooses. None
        stands for linear ones, or an intercept where the rows are too few for them.
    lambdas : list of float, default=None
        Ridge parameters that cross-validation chooses from. None stands for 1e-8 to 1, or for those of the search.
    settings : dict, default=None
        Further settings of a method by name, as in the table of the guide. A search takes none.
    flash : int or str, default=None
        Largest flash of the model in bytes, such as 512 or "2k". None stands for an eighth of the board's flash and
        at most 8 kB, or for no limit without a board.
    instructions : int, default=None
        Largest number of instructions of a prediction on ``core``.
    latency : float or str, default=None
        Longest time of a prediction in seconds, or with ns, us or ms, at the clock of the board or of
        ``config={"device": {"clock": 48e6}}``.
    board : str, default=None
        Board that runs the model, one of ``srfm_mcu.boards()``: its core, its clock, generated C and a budget of flash.
        ``to_folder`` writes a folder for it.
    core : str, default=None
        Core that ``instructions`` counts on, one of ``srfm_mcu.cores()``. A core without floating point gets integers.
        None stands for that of the board, or for a Cortex-M4F.
    deploy : {"file", "c"}, default=None
        How the model gets on the board, which ``flash``, ``instructions`` and ``flash_bytes_`` count: as a model file,
        or as the generated C of ``to_c`` compiled with ``-Os`` for ``core`` (parameters, code and constants together).
        None stands for C with a board or a ``latency``, otherwise for a file.
    number : {"f32", "int", "int16"}, default=None
        Number format of the model. None leaves it to the core.
    time : float or str, default=None
        Time of a search in seconds, or with s, m or h. A search without a time ends by its effort. What a search
        finds within a time depends on the machine.
    effort : float, default=None
        Work of a search: a unit takes about one to three seconds of one core. The same data, settings and seed give
        the same model on every tested platform. ``time`` is a limit beside it. None stands for 5 units, or for no
        limit of the work where ``time`` is given.
    smooth : bool, default=False
        Whether a search leaves rules out, so that the prediction has no steps, as control loops need.
    config : dict, default=None
        Settings without a keyword, in the groups of a settings file of the command, such as
        ``{"search": {"max_inputs": 4}, "preprocessing": {"limit_inputs": True}}``.
    cv : int, str, splitter, iterable or None, default=5
        Folds of the cross-validation: their number (None stands for 5), "random", "blocked" or "forward" (in the order
        of time), a splitter of scikit-learn such as ``GroupKFold(5)`` or ``TimeSeriesSplit(5)``, or pairs of training
        and test rows. Settings are chosen and intervals are calibrated on these folds.
    missing : {"error", "drop", "mean"}, default="error"
        What happens to rows whose readings have NaN: they are refused, or left out of the fit, or the mean of the
        reading over the fitted rows stands for it, also on the device. With "drop" their predictions are NaN, and
        ``score`` leaves them out. With "drop" and "mean", rows without a target are left out of the fit and of
        ``score``.
    lags : list of int or dict, default=None
        Earlier rows whose readings are inputs: 0 is the present row, 1 the row before, up to 254. A list is that of all
        columns, a dictionary such as ``{"temperature": [0, 1, 5]}`` has lists by column; other columns give the present
        reading. Rows are in the order of time, or ``fit`` gets their ``time``. Rows without a whole history are left
        out of the fit and of ``score``, and predictions of them are NaN.
    window : int, default=None
        Number of rows of a window, 2 to 1024. Inputs are statistics of the last ``window`` rows of every column, and
        rows of the fit are those that complete a window. Windows whose rows have different classes are left out.
    step : int, default=None
        Rows from the start of a window to that of the next, 1 to ``window``. None stands for half a window.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers. None stands for 1: a fit without a search gives the same model every time.
    n_jobs : int, default=None
        Number of threads; None and -1 stand for one for each processor. The model does not depend on it.
    verbose : int, default=0
        Whether to print the progress of the fit on the standard error: its share, and the least errors of a search so
        far with the bytes of their models, as in ``search_results_``.
"""

#: What all estimators have after a fit; their documentation includes it.
ATTRIBUTES = """
    flash_bytes_ : int
        Bytes of flash that the model takes: those of its file or, where C gets on the board, of the program.
    program_ : dict or None
        What the generated C takes of the core: bytes of flash in all, of parameters, code and constants, bytes of RAM
        and stack, instructions and clock cycles. None where that is not known.
    latency_ : float or None
        The longest time of a prediction in C, in seconds at the clock of the board. None where that is not known.
    cost_ : dict
        Instructions of a prediction from a model file for each core that runs files: the most, and those of usual
        readings.
    importance_ : ndarray of shape (n_inputs,)
        Share of the variation of the predictions that is due to each input of ``input_names_``.
    input_names_ : ndarray of shape (n_inputs,)
        Names of the inputs of the model: those of the columns or, with ``lags`` or a ``window``, such as
        ``temperature lag 2`` or ``ax deviation``.
    report_ : dict
        What the fit chose: method, settings, cross-validated errors (``rmse`` in units of the target,
        ``standardised_mse`` in variances of the target), the number of rows without those that were left out, the
        largest difference on the device, and whether λ was raised until the device could reproduce the model. With
        ``lags``, a ``window``, times or rows without a target, ``data`` has the numbers of rows that were left out, of
        gaps and of windows.
    search_results_ : dict or None
        The candidates of a search as arrays of equal length, in the order of the loss that candidates are chosen by:
        ``method``, ``settings``, ``number``, ``features``, ``flash_bytes`` (the most that the model can take),
        ``error`` (the cross-validated error rate of classes, or RMSE in standard deviations of the target, on the rows
        that candidates are compared on), ``estimated`` (whether one fold ruled the candidate out), and ``allowed``
        (whether the search may return it). ``pandas.DataFrame`` takes it. None without a search.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the rows have any.
"""


class Srfm(Fitted, BaseEstimator):
    """A model that is fitted, and what it predicts on the device."""

    def __init__(
        self,
        method=None,
        *,
        features=None,
        order=None,
        terms=None,
        lambdas=None,
        settings=None,
        flash=None,
        instructions=None,
        latency=None,
        board=None,
        core=None,
        deploy=None,
        number=None,
        time=None,
        effort=None,
        smooth=False,
        config=None,
        cv=5,
        missing="error",
        lags=None,
        window=None,
        step=None,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.method = method
        self.features = features
        self.order = order
        self.terms = terms
        self.lambdas = lambdas
        self.settings = settings
        self.flash = flash
        self.instructions = instructions
        self.latency = latency
        self.board = board
        self.core = core
        self.deploy = deploy
        self.number = number
        self.time = time
        self.effort = effort
        self.smooth = smooth
        self.config = config
        self.cv = cv
        self.missing = missing
        self.lags = lags
        self.window = window
        self.step = step
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _checked(self, X, y, **checks):
        """Returns rows and targets after scikit-learn's checks; rows may have NaN where the settings say so."""
        return self._valid(X, y, ensure_min_samples=2, **checks)

    def _weights(self, sample_weight, X):
        """Returns what rows count as an array; none where they count alike."""
        if sample_weight is None:
            return None
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if not weights.any():
            raise ValueError("sample_weight is 0 for every row; give a row that counts a weight above 0")
        return weights

    def _valid(self, X, *y, **checks):
        """Returns what scikit-learn's checks return, which may have NaN where the settings say so."""
        _frames.check(X)
        finite = _values.finite(self.missing)
        try:
            valid = validate_data(self, X, *y, dtype=np.float64, ensure_all_finite=finite, **checks)
        except ValueError as error:
            if "could not convert string to float" in str(error):
                _frames.check_array(X)
            if str(error).startswith("Input y contains NaN"):
                advice = "leave such rows out, or give the estimator missing='drop'"
                raise ValueError(f"Input y contains NaN; {advice}") from None
            if not str(error).startswith("Input X contains NaN"):
                raise
            choices = "missing='mean' or missing='drop'"
            raise ValueError(f"Input X contains NaN; fill the gaps, or give the estimator {choices}") from None
        _values.check_range(valid[0] if y else valid, getattr(self, "feature_names_in_", None))
        return valid

    def _is_log(self, time):
        """Returns whether a fit takes rows in the order of time."""
        return time is not None or any(setting is not None for setting in (self.lags, self.window, self.step))

    def _lacks_targets(self, y):
        """Returns whether there are rows without a target, which the settings leave out."""
        return self.missing != "error" and y is not None and not _logs.known(y).all()

    def _columns(self, X):
        """Returns the names of the columns of rows that have been checked."""
        names = getattr(self, "feature_names_in_", None)
        return [f"x{i}" for i in range(X.shape[1])] if names is None else [str(name) for name in names]

    def _fit(self, X, y, targets, classes, groups, weights, labels):
        """Fits rows (n×d) and targets (n×k) that have been checked; splitters see the ``labels``.

        The weights are those of :meth:`_weights`.
        """
        inputs = self._columns(X)
        numbers = _values.groups(groups, len(X))
        count, split, folds = _values.folds(self.cv, X, labels, groups)
        kept = np.ones(len(X), dtype=bool) if weights is None else weights > 0
        if self.missing == "drop":
            kept[kept] = _values.complete(X[kept], inputs)
        if not kept.all():
            folds = _values.folds_of(folds, kept)
            X, y, numbers = X[kept], y[kept], [number for number, keep in zip(numbers, kept) if keep]
            weights = None if weights is None else weights[kept]
        if self.missing == "mean":
            _values.check_columns(X, inputs)
        self._names = inputs, targets, classes
        X, y = np.ascontiguousarray(X, dtype=np.float64), np.ascontiguousarray(y, dtype=np.float64)
        settings = {**self._settings(), "folds": count, "split": split}
        given = [] if weights is None else weights.tolist()
        data = X, y, self._names, _values.numbered(numbers), given, folds
        model, report = self._run(_srfm_mcu.fit, data, settings)
        return self._take(model, {**json.loads(report), "rows": len(X)})

    def _fit_log(self, X, targets, kind, groups, time, weights, labels):
        """Fits rows in the order of time (n×c) and targets of :meth:`_log_targets`; splitters see the ``labels``."""
        log = _logs.log(X, self._columns(X), groups, time, weights)
        count, split, folds = _values.folds(self.cv, X, labels, groups)
        settings = {**self._settings(), "folds": count, "split": split}
        columns = settings["columns"]
        of_log = _logs.preparation(log, self.lags, self.window, self.step)
        settings["columns"] = {**columns, "kind": kind, "preparation": {**columns["preparation"], **of_log}}
        model, report, left_out, of_folds = self._run(_srfm_mcu.fit_log, (log, targets, folds), settings)
        if self.verbose and left_out:
            print(left_out, file=sys.stderr)
        description = json.loads(model.description())
        inputs = [entry["name"] for entry in description["inputs"]]
        self._names = inputs, description["targets"], model.classes()
        self._take(model, json.loads(report))
        if of_folds:
            warnings.warn(of_folds, stacklevel=3)
        return self

    def _run(self, fit, rows, settings):
        """Returns what a fit of the library gives for rows and settings."""
        progress = _Progress() if self.verbose else None
        try:
            settings = json.dumps(settings, default=_values.plain)
            return fit(*rows, settings, _values.threads(self.n_jobs), progress, self._workers())
        finally:
            if progress:
                progress.end()

    def _take(self, model, report):
        """Takes a model and what its fit chose."""
        self._keep(model, report)
        if self.report_["raised"]:
            found = self.report_["lambda"]
            raised = "more rounding was assumed" if found is None else f"λ was raised to {found:.0e}"
            if self.report_["penalised"]:
                raised = f"linear terms have a penalty, and λ is {found:.0e}"
            said = "the device could not reproduce the model of the chosen settings"
            warnings.warn(f"{said}; {raised}", stacklevel=4)
        searched = self.report_["search"]
        if searched and not searched["complete"] and not searched["with_features"]:
            warnings.warn("the time was over before a model with features was tried; raise time", stacklevel=4)
        return self

    def _workers(self):
        """Returns the machines that the folds are fitted on; None for this one."""
        return _workers.chosen()

    def _settings(self):
        """Returns the request but for the folds, as the library reads it."""
        return _values.completed(self._request(), {} if self.config is None else self.config)

    def _request(self):
        """Returns the request of the keywords."""
        limited = self.time is not None or self.effort is not None
        orders = [] if self.order is None else [_values.count(order, "order") for order in _values.listed(self.order)]
        return {
            "seed": _values.seed(self.random_state),
            "columns": {"preparation": {"missing": self.missing}},
            "method": _values.method(self.method, _values.settings(self.settings), limited),
            "grid": {
                "features": None if self.features is None else _values.count(self.features, "features"),
                "terms": _values.terms(self.terms),
                "orders": orders,
                "lambdas": _values.lambdas(self.lambdas),
            },
            "encoding": {"number": _values.number(self.number)},
            "device": self._device_request(),
            "search": {
                "time": None if self.time is None else _values.seconds(self.time, "time"),
                "effort": None if self.effort is None else _values.effort(self.effort),
                "smooth": bool(self.smooth),
            },
        }

    def _device_request(self):
        """Returns the device of the keywords as the library reads it."""
        return {
            "board": None if self.board is None else _values.board(self.board),
            "core": None if self.core is None else _values.core(self.core),
            "deploy": None if self.deploy is None else _values.deploy(self.deploy),
            "flash": None if self.flash is None else _values.size(self.flash, "flash"),
            "instructions": (
                None if self.instructions is None else _values.count(self.instructions, "instructions")
            ),
            "latency": None if self.latency is None else _values.latency(self.latency),
        }

    def _rows(self, X):
        """Returns rows as the library takes them."""
        check_is_fitted(self, "model_")
        return np.ascontiguousarray(self._valid(X, reset=False))

    def _log(self, X, groups, time):
        """Returns rows in the order of time as a fitted model takes them."""
        return _logs.log(X, self.model_.readings()[1], groups, time)

    def _inputs(self, X, groups=None, time=None):
        """Returns the inputs of the model (n×d) at every row, and whether a row has a whole history."""
        X = self._rows(X)
        if not self.model_.looks_back():
            return X, np.ones(len(X), dtype=bool)
        return _srfm_mcu.inputs_of_log(self.model_, self._log(X, groups, time))

    def _outputs(self, X, ready):
        """Returns what the device computes of inputs in ``float32``, with a column for each output.

        With ``missing="drop"``, the outputs of a row with NaN are NaN, also where the model does not use the input. A
        model that was read without its description may have a replacement for NaN. Rows that are not ``ready`` have
        outputs of NaN.
        """
        outputs = self.model_.predict(X)
        if self.missing == "drop" and self.model_.description() is not None:
            outputs[np.isnan(X).any(axis=1)] = np.nan
        outputs[~ready] = np.nan
        return outputs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        return tags


# Errors of calls name the function, and users do not know this class.
Srfm.__init__.__qualname__ = "SrfmRegressor.__init__"


class _Progress:
    """Prints how far a fit is."""

    def __init__(self):
        self.percent, self.line = 0, ""

    def __call__(self, done, total, best):
        # Parts of the work count in other units; the share never goes back.
        self.percent = max(self.percent, 100 * done // total)
        line = f"fitting {self.percent:3} %" + (f", {best}" if best else "")
        if line != self.line:
            print(f"\r{line:{len(self.line)}}", end="", file=sys.stderr, flush=True)
            self.line = line

    def end(self):
        """Ends the line."""
        if self.line:
            print(file=sys.stderr)
