//! Pages with charts of a model and of rows with targets.

use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use srfm_cli::report::{Evaluated, ModelPage, Part};
use srfm_trainer::data::{Dataset, History};

use crate::arrays::matrix;
use crate::fit::output_names;
use crate::model::Model;

/// Returns the page as HTML: the model, and its errors on rows with targets (n×d and n×k).
///
/// `file` is the name of the model file in lines of code; `names` are those of inputs, targets and classes.
#[pyfunction]
pub fn page(
    model: &Model,
    title: String,
    file: String,
    x: PyReadonlyArray2<'_, f64>,
    y: PyReadonlyArray2<'_, f64>,
    names: (Vec<String>, Vec<String>, Vec<String>),
) -> PyResult<String> {
    let (blob, x, y) = (model.blob(), model.rows(&x)?, matrix(&y));
    if (y.nrows(), y.ncols()) != (x.nrows(), blob.model().outputs()) {
        let problem =
            format!("the targets are {} × {}, which do not suit the rows and the model", y.nrows(), y.ncols());
        return Err(PyValueError::new_err(problem));
    }
    let (input_names, targets, classes) = names;
    let output_names = output_names(&targets, &classes);
    let (groups, history) = (Vec::new(), History::default());
    let weights = Vec::new();
    let data = Dataset { x, y, input_names, output_names, classes, weights, groups, history };
    Ok(html(model, title, file, &data))
}

/// Returns the page as HTML with the errors on these rows.
pub fn html(model: &Model, title: String, file: String, data: &Dataset) -> String {
    let blob = model.blob();
    let evaluated = Evaluated::of(blob, data, &[]);
    let parts = vec![Part { name: "given", detail: String::new(), data, evaluated: &evaluated }];
    ModelPage { title, file, blob, parts, host: None, validation: None, search: None }.html()
}
