"""What a fitted model says of itself, and the files that it writes."""

import contextlib
import errno
import html
import json
import os
import secrets
import shutil

import numpy as np
from sklearn.metrics import r2_score
from sklearn.utils import _safe_indexing, check_consistent_length
from sklearn.utils.validation import check_is_fitted

from srfm_mcu import _logs, _onnx, _srfm_mcu, _values


class Scored:
    """Scores of rows that may have gaps."""

    def score(self, X, y, sample_weight=None, groups=None, time=None):
        """Returns R² of the predictions of quantities, or the share of classes that are right.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of readings. With ``missing="drop"``, rows with NaN are left out; with lags, those without a whole
            history; with a window, those that complete none.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their targets. With ``missing="drop"`` or ``"mean"``, rows with NaN are left out.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.
        groups : array-like of shape (n_samples,), default=None
            Group of each row, where the model looks back at earlier rows of the same group. None stands for one group.
        time : array-like of shape (n_samples,), default=None
            Time of each row, as in ``fit``, in ascending order within a group. None stands for rows without a gap.

        Returns
        -------
        score : float
        """
        check_is_fitted(self, "model_")
        if self.model_.looks_back():
            rows, kept = self._evaluated(X, y, groups, time)
            weights = None if sample_weight is None else _safe_indexing(sample_weight, kept)
            targets = self._targets(_safe_indexing(y, kept))
            return float(r2_score(targets, self.model_.predict(rows), sample_weight=weights))
        if self.missing != "error":
            check_consistent_length(X, y)
            kept = np.flatnonzero(self._has_values(X) & _logs.known(y))
            weights = None if sample_weight is None else _safe_indexing(sample_weight, kept)
            X, y, sample_weight = _safe_indexing(X, kept), _safe_indexing(y, kept), weights
        return super().score(X, y, sample_weight=sample_weight)

    def _has_values(self, X):
        """Returns which rows have the readings that a prediction takes."""
        rows = self._rows(X)
        return _values.complete(rows, self._names[0]) if self.missing == "drop" else np.ones(len(rows), dtype=bool)


class Fitted:
    """A model beside what it costs; ``model_`` is the model of the library."""

    def _keep(self, model, report):
        """Keeps a model and its report, and what the report has for attributes of their own."""
        self.model_, self.report_ = model, report
        self._importance = np.array(report.pop("importance"))
        searched = report["search"] or {}
        self._picture = searched.pop("picture", "")
        columns = searched.pop("results", None)
        self.search_results_ = columns and {name: np.array(column) for name, column in columns.items()}

    def _evaluated(self, X, y, groups, time):
        """Returns the inputs of the model at the rows that it is evaluated on, and the numbers of these rows."""
        X = self._rows(X)
        if not self.model_.looks_back():
            return X, np.arange(len(X))
        return _srfm_mcu.evaluated_log(self.model_, self._log(X, groups, time), self._log_targets(y))

    @property
    def flash_bytes_(self):
        check_is_fitted(self, "model_")
        program = self.program_ if self._device()[1] == "c" else None
        return program["flash_bytes"] if program else self.model_.flash_bytes()

    @property
    def program_(self):
        check_is_fitted(self, "model_")
        return json.loads(self.model_.program(self._device()[0]))

    @property
    def latency_(self):
        clock, program = self._device()[2], self.program_
        cycles = program and program.get("cycles")
        return cycles / clock if cycles and clock else None

    def _device(self):
        """Returns the core, the way of deployment and the clock in hertz."""
        more = {"device": (self.config or {}).get("device", {})}
        request = _values.completed({"device": self._device_request()}, more)
        return _srfm_mcu.device(json.dumps(request["device"]))

    @property
    def cost_(self):
        check_is_fitted(self, "model_")
        return {core: {"at_most": most, "usually": usual} for core, most, usual in self.model_.instructions()}

    @property
    def importance_(self):
        check_is_fitted(self, "model_")
        return self._importance

    @property
    def input_names_(self):
        check_is_fitted(self, "model_")
        return np.array(self._names[0], dtype=object)

    def _repr_html_inner(self):
        return self._headline() + super()._repr_html_inner()

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._headline() + bundle["text/html"]
        return bundle

    def _headline(self):
        """Returns HTML of a fitted model: a line with method, error and size, and the picture of its search."""
        if not hasattr(self, "model_"):
            return ""
        validation = getattr(self, "report_", {}).get("validation") or {}
        said = [self.model_.shape()[0], f"{self.flash_bytes_:,} bytes"]
        if validation.get("error_rate") is not None:
            said.insert(1, f"{100 * validation['error_rate']:.1f} % wrong in cross-validation")
        elif validation.get("rmse") is not None:
            said.insert(1, f"RMSE {validation['rmse']:.3g} in cross-validation")
        picture = getattr(self, "_picture", "")
        return f"<p>{html.escape(', '.join(said))}</p>{picture}"

    def outside(self, X, groups=None, time=None):
        """Returns how many readings of each row are outside of the range of the fitted rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of readings.
        groups : array-like of shape (n_samples,), default=None
            Group of each row, where the model looks back at earlier rows of the same group. None stands for one group.
        time : array-like of shape (n_samples,), default=None
            Time of each row, as in ``fit``, in ascending order within a group. None stands for rows without a gap.

        Returns
        -------
        counts : ndarray of int of shape (n_samples,)
            With lags or a window, inputs count in place of readings; 0 for rows without a prediction.
        """
        rows, ready = self._inputs(X, groups, time)
        counts = self.model_.outside(rows)
        if counts is None:
            raise ValueError("the model has no ranges, as they did not fit into its flash; raise flash")
        return np.where(ready, counts.astype(np.int64), 0)

    def to_bytes(self):
        """Returns the bytes of the model file that the device reads.

        Returns
        -------
        file : bytes
        """
        check_is_fitted(self, "model_")
        return self.model_.bytes()

    def save(self, path):
        """Writes the model file and, beside it, a description of its columns with the ending ``.json``.

        Parameters
        ----------
        path : str or path-like
            The file, by convention with the ending ``.srfm``. A model that is there is replaced as a whole with its
            description, and other files are refused. A special file, such as a pipe, takes the model alone. A model
            that was read without its description is written without one.
        """
        path, content = os.fspath(path), self.to_bytes()
        description = self.model_.description()
        # The file of a link has its description beside it, too.
        descriptions = [f"{place}.json" for place in dict.fromkeys([path, os.path.realpath(path)])]
        _check_replaceable(path)
        if _is_special(path):
            _write(path, content)
            return
        if description is not None:
            for place in descriptions:
                _check_description(place)
        _write(path, content)
        for place in descriptions:
            if description is not None:
                _write(place, description.encode())
            elif _is_description(place):
                # That of the model that was there.
                os.unlink(place)

    def to_c(self, path, *, name=None, style="small"):
        """Writes the model as one C file without dependencies, for C99 and C++11.

        Its functions have the bits of ``predict`` on every target.

        Parameters
        ----------
        path : str or path-like
            The file, such as ``sensor.h``.
        name : str, default=None
            What names in the file begin with, such as ``sensor_predict``. None stands for the name of the file.
        style : {"small", "fast"}, default="small"
            Whether features are loops or straight lines of code.
        """
        check_is_fitted(self, "model_")
        path = os.fspath(path)
        of_file = os.path.splitext(os.path.basename(path))[0]
        try:
            source = self.model_.c_source(of_file if name is None else name, style)
        except ValueError as error:
            advice = f"; to keep the file {os.path.basename(path)!r}, give another name, such as name='model'"
            raise ValueError(f"{error}{advice if name is None and 'identifier' in str(error) else ''}") from None
        _write(path, source.encode())

    def to_folder(self, path, *, name=None):
        """Writes a folder for the build system of ``board``: the C source with an example, the model and its columns.

        Parameters
        ----------
        path : str or path-like
            The folder, such as ``sensor``. It is new, or a folder that was written before.
        name : str, default=None
            What names in the C source begin with. None stands for the name of the folder.
        """
        check_is_fitted(self, "model_")
        if self.board is None:
            advice = "fit with board=, such as board='uno'; a model that was loaded has set_params(board='uno')"
            raise ValueError(f"a folder is for a board; {advice}")
        self.model_.write_folder(os.fspath(path), name, self.board, self._device()[2])

    def to_onnx(self, path):
        """Writes an ``f32`` model in the format ONNX, for programs on larger computers.

        The graph takes ``readings`` in ``float32`` and gives the ``prediction``, or ``scores`` and ``class``, the
        place of a class in ``classes_``. It rounds in another order than the device: results differ in the last digits
        of ``float32``. It names a class for every row, whatever the ``confidence`` of a classifier.

        Parameters
        ----------
        path : str or path-like
            The file, such as ``sensor.onnx``. The package ``onnx`` is needed: ``pip install onnx``.
        """
        check_is_fitted(self, "model_")
        if self.model_.looks_back():
            raise ValueError("a graph of ONNX takes single rows, but the model looks back at earlier ones; use to_c")
        model = _onnx.model_of(self.model_, self.model_.shape()[3], len(self.model_.classes()))
        _write(os.fspath(path), model.SerializeToString())

    def to_report(self, path, X, y, groups=None, time=None):
        """Writes a page with charts: errors on rows with targets, inputs, costs on the device and lines of code.

        The page is the one of the command ``srfm report``. It needs no other file and no network.

        Parameters
        ----------
        path : str or path-like
            The file, such as ``sensor.html``.
        X : array-like of shape (n_samples, n_features)
            Rows of readings, preferably fresh ones.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their targets.
        groups : array-like of shape (n_samples,), default=None
            Group of each row, where the model looks back at earlier rows of the same group. None stands for one group.
        time : array-like of shape (n_samples,), default=None
            Time of each row, as in ``fit``, in ascending order within a group. None stands for rows without a gap.
        """
        X, path = self._rows(X), os.fspath(path)
        name = os.path.splitext(os.path.basename(path))[0]
        if self.model_.looks_back():
            log = self._log(X, groups, time)
            page = _srfm_mcu.page_of_log(self.model_, name, f"{name}.srfm", log, self._log_targets(y))
            _write(path, page.encode())
            return
        y = np.ascontiguousarray(self._targets(y), dtype=np.float64)
        if len(X) != len(y):
            raise ValueError(f"there are {len(y)} targets for {len(X)} rows")
        _write(path, _srfm_mcu.page(self.model_, name, f"{name}.srfm", X, y, self._names).encode())


def _is_special(path):
    """Returns whether there is a special file, such as a pipe, which a new file would destroy."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def _check_replaceable(path):
    """Refuses to replace a file that has something else than a model."""
    if os.path.isfile(path):
        with open(path, "rb") as file:
            start = file.read(4)
        if start not in (b"", b"SRFM"):
            problem = "is there already and is not an srfm model; name another file, or remove this one"
            raise FileExistsError(errno.EEXIST, problem, path)


def _is_description(path):
    """Returns whether a file is the description of a model."""
    try:
        with open(path, encoding="utf-8") as file:
            return "crc32" in json.load(file)
    except (OSError, ValueError, TypeError):
        return False


def _check_description(path):
    """Refuses to replace a file that has something else than the description of a model."""
    if os.path.isfile(path) and os.path.getsize(path) > 0 and not _is_description(path):
        problem = "is there already and is not the description of a model; name another file, or remove this one"
        raise FileExistsError(errno.EEXIST, problem, path)


def _write(path, content):
    """Writes a file as a whole, or not at all. Special files are written directly, and links stay links."""
    special, place = _is_special(path), os.path.realpath(path)
    part = f"{place}.{secrets.token_hex(4)}.part"
    try:
        if os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, "is a folder; name a file in it")
        with open(path if special else part, "wb") as file:
            file.write(content)
        if not special:
            if os.path.exists(place):
                shutil.copymode(place, part)
            os.replace(part, place)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, path) from None
    finally:
        with contextlib.suppress(OSError):
            os.unlink(part)
