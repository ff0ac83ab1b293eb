//! Pipelines of scikit-learn with random Fourier features as models.

use std::f64::consts::FRAC_PI_2;

use nalgebra::DMatrix;
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use srfm_trainer::cost::Core;
use srfm_trainer::data::{Dataset, Description, Preparation};
use srfm_trainer::method::{Method, MethodConfig, MethodError, Terms, Tunable};
use srfm_trainer::model::{Activation, Expansion, Feature};
use srfm_trainer::scaling::Scaling;
use srfm_trainer::{FitConfig, Grid, Run};

use crate::arrays::matrix;
use crate::fit::report;
use crate::message::value_error;
use crate::model::Model;

/// `y = intercept + Σ_j c_j cos(⟨ω_j, x⟩ + b_j)` in the coordinates of scaled rows: a method with nothing to fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Given {
    features: Vec<Feature>,
    /// The coefficients of the first output, then of the others.
    coefficients: Vec<f64>,
    intercept: Vec<f64>,
}

impl Given {
    /// Moves cosines of raw readings to the coordinates of the scaled data: `waves` has a row for each input and a last
    /// one of phases (d+1×s), `sums` a row for each feature and a last one of intercepts (s+1×k).
    fn of(data: &Dataset, waves: &DMatrix<f64>, sums: &DMatrix<f64>) -> Given {
        let (d, s, scaling) = (data.inputs(), waves.ncols(), Scaling::fit(data));
        let zero = scaling.inputs(&DMatrix::zeros(1, d));
        let units = scaling.inputs(&DMatrix::identity(d, d));
        // Scaled readings are (x - mean) / scale; those of a constant input are 0, whatever the reading.
        let slope = |i: usize| units[(i, i)] - zero[i];
        let scale = |i: usize| if slope(i) == 0.0 { 0.0 } else { 1.0 / slope(i) };
        let mean = |i: usize| if slope(i) == 0.0 { data.x[(0, i)] } else { -zero[i] / slope(i) };
        let feature = |j: usize| {
            let phase = (0..d).fold(waves[(d, j)], |phase, i| phase + waves[(i, j)] * mean(i));
            let support: Vec<usize> = (0..d).filter(|&i| scale(i) != 0.0 && waves[(i, j)] != 0.0).collect();
            let weights = support.iter().map(|&i| waves[(i, j)] * scale(i)).collect();
            Feature { support, weights, bias: phase + FRAC_PI_2 }
        };
        let y = &scaling.y;
        let of_output = |k: usize| (0..s).map(move |j| sums[(j, k)] / y.scale[k]);
        Given {
            features: (0..s).map(feature).collect(),
            coefficients: (0..data.outputs()).flat_map(of_output).collect(),
            intercept: (0..data.outputs()).map(|k| (sums[(s, k)] - y.mean[k]) / y.scale[k]).collect(),
        }
    }
}

impl Method for Given {
    fn name(&self) -> &'static str {
        "rbf-sampler"
    }

    fn fit_path(&self, data: &Dataset, lambdas: &[f64], _: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        let (s, k) = (self.features.len(), self.intercept.len());
        let expansion = Expansion {
            activation: Activation::Sine,
            features: self.features.clone(),
            coefficients: DMatrix::from_column_slice(s, k, &self.coefficients),
            intercept: DMatrix::from_row_slice(1, k, &self.intercept),
            linear: DMatrix::zeros(data.inputs(), k),
            trees: Vec::new(),
        };
        Ok(vec![expansion; lambdas.len()])
    }

    fn tunable(&self) -> Tunable {
        let features = self.features.len();
        Tunable { features, order: None, lambda: None, scale: None, terms: Terms::Intercept }
    }

    fn tune(&mut self, _: Tunable) {}
}

/// Returns the model of cosines of raw readings, and a report as JSON.
///
/// `x` (n×d) and `y` (n×k) are rows and the outputs for them, which give ranges and limits. `waves` (d+1×s) has the
/// frequencies of each input and, last, the phases; `sums` (s+1×k) the coefficients and, last, the intercepts.
#[pyfunction]
pub fn cosines(
    py: Python<'_>,
    x: PyReadonlyArray2<'_, f64>,
    y: PyReadonlyArray2<'_, f64>,
    waves: PyReadonlyArray2<'_, f64>,
    sums: PyReadonlyArray2<'_, f64>,
    names: (Vec<String>, Vec<String>),
    core: &str,
) -> PyResult<(Model, String)> {
    let (x, y, waves, sums) = (matrix(&x), matrix(&y), matrix(&waves), matrix(&sums));
    if waves.nrows() != x.ncols() + 1 || sums.nrows() != waves.ncols() + 1 || sums.ncols() != y.ncols() {
        return Err(PyValueError::new_err("frequencies, coefficients, rows and outputs do not suit each other"));
    }
    let (input_names, targets) = names;
    let data = Dataset::new(x, y).and_then(|data| data.with_names(input_names, targets.clone()));
    let data = data.map_err(|error| value_error(&error))?;
    let core: Core = core.parse().map_err(|error: srfm_trainer::cost::UnknownCore| value_error(&error))?;
    let method = MethodConfig::from(Given::of(&data, &waves, &sums));
    let mut config = FitConfig { method, grid: Grid::from([]), ..FitConfig::default() };
    (config.encoding.number, config.encoding.flash) = (core.into(), Some(usize::MAX));
    let fit = py.detach(|| srfm_trainer::fit(&data, &config, &Run::new(1))).map_err(|error| value_error(&error))?;
    let description = Description::from_dataset(&data, targets, &Preparation::default());
    let report = report(&fit, serde_json::Value::Null).to_string();
    Ok((Model::of(fit.blob, Some(description)), report))
}
