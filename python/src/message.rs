//! Messages of the library with the keywords of the Python package.

use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyValueError};
use srfm_cli::failure::Failure;
use srfm_trainer::message::{Explain, Message, Setting, Written};

/// The keywords of settings. The package lacks the settings of columns, which it takes as arrays.
const KEYWORDS: [(&str, &str); 24] = [
    ("board", "board"),
    ("deploy", "deploy"),
    ("effort", "effort"),
    ("false_alarms", "false_alarms"),
    ("features", "features"),
    ("flash", "flash"),
    ("folds", "cv"),
    ("group", "groups"),
    ("instructions", "instructions"),
    ("lag", "lags"),
    ("lambda", "lambdas"),
    ("latency", "latency"),
    ("method", "method"),
    ("metric", "metric"),
    ("missing", "missing"),
    ("number", "number"),
    ("order", "order"),
    ("seed", "random_state"),
    ("split", "cv"),
    ("step", "step"),
    ("terms", "terms"),
    ("time", "time"),
    ("time_column", "time"),
    ("window", "window"),
];

/// Settings of methods, which the keyword `settings` takes by name.
const OF_METHODS: [&str; 2] = ["basis", "candidates"];

/// Returns the message of an error with keywords in place of settings, such as `flash=` and `number="int"`.
pub fn text(error: &dyn Explain) -> String {
    sentence(&error.message())
}

/// Returns a message with keywords in place of settings.
pub fn sentence(message: &Message) -> String {
    message.render(keyword)
}

/// Returns the error of Python for what the command cannot write.
pub fn os_error(failure: Failure) -> PyErr {
    PyOSError::new_err(failure.into_message().render(keyword))
}

/// Returns the error of Python for what the command refuses.
pub fn refused(failure: Failure) -> PyErr {
    PyValueError::new_err(failure.into_message().render(keyword))
}

/// Returns the error of Python with the message of [`text`].
pub fn value_error(error: &dyn Explain) -> PyErr {
    PyValueError::new_err(text(error))
}

fn keyword(setting: &Setting) -> Written {
    let path = setting.path();
    let of_method = path.strip_prefix("method.").and_then(|rest| rest.split_once('.')).map(|(_, name)| name);
    if let Some(name) = of_method.or_else(|| OF_METHODS.into_iter().find(|name| *name == path)) {
        return Written::As(match setting.value() {
            Some(value) => format!("settings={{{name:?}: {value:?}}}"),
            None => format!("settings[{name:?}]"),
        });
    }
    match (KEYWORDS.into_iter().find(|(name, _)| *name == path), setting.value()) {
        (Some((_, keyword)), Some(value)) => Written::As(format!("{keyword}={value:?}")),
        (Some((_, keyword)), None) => Written::As(format!("{keyword}=")),
        (None, _) => Written::Lacking,
    }
}
