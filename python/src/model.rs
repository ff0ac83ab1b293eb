//! Models as the device holds them.

use std::path::PathBuf;

use nalgebra::DMatrix;
use numpy::{PyArray1, PyArray2, PyReadonlyArray2, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use serde_json::json;

use srfm_cli::command::export::BoardFolder;
use srfm_trainer::Blob;
use srfm_trainer::cost::{Board, Core, Deployment, UnknownBoard, UnknownCore, instruction_bound, instructions_mean};
use srfm_trainer::data::Description;
use srfm_trainer::emulate::footprint;
use srfm_trainer::export::{self, CSource, Style};

use crate::arrays::{array, matrix};
use crate::message::{os_error, refused, value_error};
use crate::parts::parts;

/// A model file.
#[pyclass(frozen, module = "srfm_mcu._srfm_mcu")]
pub struct Model {
    blob: Blob,
    /// The names of inputs and targets.
    description: Option<Description>,
}

impl Model {
    pub fn of(blob: Blob, description: Option<Description>) -> Model {
        Model { blob, description }
    }

    pub fn blob(&self) -> &Blob {
        &self.blob
    }

    /// Returns the names of inputs and targets; none of a file that was read without them.
    pub fn columns(&self) -> Option<&Description> {
        self.description.as_ref()
    }

    /// Returns the rows, which must be as wide as the model.
    pub fn rows(&self, x: &PyReadonlyArray2<'_, f64>) -> PyResult<DMatrix<f64>> {
        let (x, inputs) = (matrix(x), self.blob.model().inputs());
        if x.ncols() == inputs {
            return Ok(x);
        }
        Err(PyValueError::new_err(format!("the rows have {} inputs, but the model has {inputs}", x.ncols())))
    }
}

#[pymethods]
impl Model {
    /// Reads a model from the bytes of its file and the description beside it.
    #[new]
    #[pyo3(signature = (bytes, description=None))]
    fn new(bytes: &[u8], description: Option<&str>) -> PyResult<Model> {
        let blob = Blob::new(bytes).map_err(|error| value_error(&error))?;
        let description = description.map(|json| Description::parse("the description", json, bytes)).transpose();
        Ok(Model::of(blob, description.map_err(|error| value_error(&error))?))
    }

    /// The description of inputs and targets as JSON; none without one.
    fn description(&self) -> Option<String> {
        self.description.as_ref().map(|description| description.to_json(self.blob.bytes()))
    }

    /// Whether inputs come from earlier rows.
    fn looks_back(&self) -> bool {
        !self.blob.model().samples().is_empty()
    }

    /// The number of readings of a row, and their names; no name without a description.
    fn readings(&self) -> (usize, Vec<String>) {
        let names = self.description.as_ref().map_or_else(Vec::new, Description::readings);
        (self.blob.model().channels(), names)
    }

    /// The model as C source in the style `small` or `fast`.
    fn c_source(&self, name: &str, style: &str) -> PyResult<String> {
        let style = match style {
            "small" => Style::Small,
            "fast" => Style::Fast,
            _ => return Err(PyValueError::new_err(format!("style={style:?} is neither 'small' nor 'fast'"))),
        };
        let source = CSource::new(&self.blob, name).map_err(|error| value_error(&error))?;
        let source = match &self.description {
            Some(description) => source.with_description(Some(description), Vec::new()),
            None => source,
        };
        Ok(source.with_style(style).text())
    }

    /// Writes the folder of a board, with its clock in hertz.
    fn write_folder(&self, path: PathBuf, name: Option<&str>, board: &str, clock: f64) -> PyResult<()> {
        let board: Board = board.parse().map_err(|error: UnknownBoard| PyValueError::new_err(error.to_string()))?;
        let Some(description) = &self.description else {
            return Err(PyValueError::new_err("the model has no description of its columns, which the folder holds"));
        };
        let folder = BoardFolder::new(&path, board, clock, name).map_err(refused)?;
        folder.check().and_then(|()| folder.write(&self.blob, description)).map_err(os_error)
    }

    /// The parameters of a model in floating point, as JSON.
    fn parts(&self) -> PyResult<String> {
        parts(&self.blob.model()).map_err(PyValueError::new_err)
    }

    /// The constructor and its argument, for pickles.
    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (Bound<'py, PyBytes>, Option<String>)) {
        (py.get_type::<Model>(), (self.bytes(py), self.description()))
    }

    /// The bytes of the file.
    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.blob.bytes())
    }

    /// Predicts rows (n×d) with the device's code, in `float32` (n×k).
    fn predict<'py>(&self, py: Python<'py>, x: PyReadonlyArray2<'py, f64>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let x = self.rows(&x)?;
        let y = py.detach(|| export::predict(&self.blob, &x));
        array(py, &y)
    }

    /// Returns the number of the class that the device decides for, of every row (n×d); -1 where it decides for none.
    fn decide<'py>(&self, py: Python<'py>, x: PyReadonlyArray2<'py, f64>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let x = self.rows(&x)?;
        let number = |class: Option<usize>| class.map_or(-1, |class| class as i64);
        let decided = py.detach(|| self.blob.decide(&export::predict(&self.blob, &x).cast()));
        let classes: Vec<i64> = decided.into_iter().map(number).collect();
        Ok(classes.to_pyarray(py))
    }

    /// Returns the share of rows whose class is to be among those that the model cannot rule out; none where it names
    /// a class for every row.
    fn confidence(&self) -> Option<f64> {
        // The shortest number in single precision.
        self.blob.model().confidence().and_then(|confidence| confidence.level.to_string().parse().ok())
    }

    /// Returns the probability of every class (n×c) of every row (n×d); NaN where a reading is missing.
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let x = self.rows(&x)?;
        let shares = py.detach(|| self.blob.probabilities(&export::predict(&self.blob, &x)));
        array(py, &shares)
    }

    /// Returns how many readings of every row (n×d) are outside of the range of the fitted rows.
    fn outside<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Option<Bound<'py, PyArray1<usize>>>> {
        let x = self.rows(&x)?;
        Ok(py.detach(|| export::outside(&self.blob, &x)).map(|counts| counts.to_pyarray(py)))
    }

    /// Half the width of the interval around a prediction of every output; empty where the file has none.
    fn half_widths(&self) -> Vec<f32> {
        let model = self.blob.model();
        (0..model.outputs()).filter_map(|output| model.half_width(output)).collect()
    }

    /// The least and the largest value of every output; empty for classes.
    fn limits(&self) -> Vec<(f32, f32)> {
        self.blob.model().limits().map(|[low, high]| (low.min(high), low.max(high))).collect()
    }

    /// The names of the classes; empty for quantities.
    fn classes(&self) -> Vec<String> {
        self.blob.model().classes().map(str::to_owned).collect()
    }

    /// The importance of every input, which the file has in 255ths; empty where it has none.
    fn importance(&self) -> Vec<f64> {
        self.blob.model().importance().iter().map(|&share| f64::from(share) / 255.0).collect()
    }

    /// What the generated C takes of a core, as JSON; null where that is not known.
    fn program(&self, core: &str) -> PyResult<String> {
        let core: Core = core.parse().map_err(|error: UnknownCore| value_error(&error))?;
        let footprint = footprint(&self.blob, &Deployment::C(core)).map_err(|error| value_error(&error))?;
        Ok(json!(footprint).to_string())
    }

    /// Bytes of flash that the file takes.
    fn flash_bytes(&self) -> usize {
        self.blob.model().flash_bytes()
    }

    /// The instructions of a prediction on every core: name, at most, usually.
    fn instructions(&self) -> Vec<(String, u32, u32)> {
        let model = self.blob.model();
        let of = |core: Core| (core.to_string(), instruction_bound(&model, core), instructions_mean(&model, core));
        // Those of rules are not known.
        Core::ALL.map(of).into_iter().filter(|&(_, at_most, _)| at_most < u32::MAX).collect()
    }

    /// Method, number format, inputs, outputs and features.
    fn shape(&self) -> (String, String, usize, usize, usize) {
        let model = self.blob.model();
        let number = export::NumberFormat::from_number(model.header().number).name().to_owned();
        (model.header().method.to_owned(), number, model.inputs(), model.outputs(), model.features())
    }
}
