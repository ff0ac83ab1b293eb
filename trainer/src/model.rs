//! The model on the workstation, in `f64`: what every method returns.

use nalgebra::DMatrix;
use serde::Serialize;
use srfm_runtime::format::Confidence;

use crate::data::{Dataset, History};
use crate::features::feature_matrix;
pub use crate::features::{Activation, Feature};
use crate::linalg::product;
use crate::scaling::Scaling;
use crate::sums::{InMemory, InputRanges, Rows, row_tiles};
use crate::trees::add_trees;
pub use crate::trees::{Branch, Condition, Tree};

/// `outputs = intercept + xᵀ linear + Σ_j φ(⟨ω_j, x⟩ + b_j) coefficients[j] + trees(x)`, in the coordinates of the data
/// it was fitted to.
#[derive(Clone, Debug, PartialEq)]
pub struct Expansion {
    /// Nonlinearity φ of the features.
    pub activation: Activation,
    /// The s features.
    pub features: Vec<Feature>,
    /// Their coefficients, s×k.
    pub coefficients: DMatrix<f64>,
    /// One value per output, 1×k.
    pub intercept: DMatrix<f64>,
    /// Linear terms, d×k; zero where there are none.
    pub linear: DMatrix<f64>,
    /// Trees of rules; empty where there are none.
    pub trees: Vec<Tree>,
}

impl Expansion {
    /// Returns the outputs (n×k) at the rows of `x` (n×d).
    pub fn predict(&self, x: &DMatrix<f64>) -> DMatrix<f64> {
        let mut y = DMatrix::zeros(x.nrows(), self.intercept.ncols());
        for (first, x) in row_tiles(x) {
            let values = feature_matrix(&x, &self.features, self.activation);
            let mut block = product(&values, &self.coefficients) + product(&x, &self.linear);
            add_trees(&self.trees, &x, &mut block);
            for mut row in block.row_iter_mut() {
                row += &self.intercept;
            }
            y.rows_mut(first, x.nrows()).copy_from(&block);
        }
        y
    }
}

/// How much an expansion depends on one input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Importance {
    /// Share of the variation of the outputs that is due to this input; the shares of all inputs add up to 1, or to 0
    /// where the outputs are constant.
    ///
    /// The mean square change of the outputs when the input takes the reading of another row.
    pub share: f64,
    /// Number of features that use this input: the count of the papers' histograms (HARFE, Figures 4 and 5).
    pub occurrences: usize,
}

/// The share of fresh rows whose target is in the interval around its prediction.
pub(crate) const INTERVAL_LEVEL: f64 = 0.9;

/// An expansion in scaled coordinates together with the scaling: raw readings in, physical units out.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Name of the method that fitted it.
    pub(crate) method: &'static str,
    /// The expansion in scaled coordinates.
    pub expansion: Expansion,
    /// The scaling of inputs and outputs.
    pub scaling: Scaling,
    /// Names of the inputs.
    pub input_names: Vec<String>,
    /// The samples that the inputs come from, as in [`Dataset::history`].
    pub(crate) history: History,
    /// Names of the outputs.
    pub(crate) output_names: Vec<String>,
    /// Names of the classes that the outputs are scores of, as in [`Dataset::classes`].
    pub(crate) classes: Vec<String>,
    /// How much the outputs depend on each input over the fitted rows; empty if not computed.
    pub importance: Vec<Importance>,
    /// Flash in bytes that the model file may take, where that has a limit.
    pub(crate) flash: Option<usize>,
    /// Whether the cosine of an integer model with one output is a polynomial.
    pub(crate) polynomial: bool,
    /// Smallest and largest reading of each input over the rows that were fitted.
    pub(crate) ranges: Vec<(f64, f64)>,
    /// Half the width of the interval around a prediction of each output, such that the interval contains the target of
    /// a fresh row with a probability of 0.9; empty without cross-validation.
    pub(crate) half_widths: Vec<f64>,
    /// The slope that turns scores of classes into log-odds; none for quantities and without cross-validation.
    pub(crate) slope: Option<f64>,
    /// How sure of a class the model must be to name it; none where every row has a class.
    pub(crate) confidence: Option<Confidence>,
    /// The lowest and the highest value of each output, in units of the target; empty where the outputs are scores of
    /// classes.
    pub(crate) limits: Vec<[f32; 2]>,
}

impl Model {
    /// Adds the scaling and the names of `data`, the raw rows that were fitted, to an expansion. The limits of the
    /// outputs are those of `f32`.
    pub fn new(method: &'static str, expansion: Expansion, scaling: Scaling, data: &Dataset) -> Model {
        let Ok(ranges) = InMemory { x: &data.x, y: &data.y }.sum(&InputRanges { inputs: data.inputs() });
        Model {
            method,
            expansion,
            scaling,
            input_names: data.input_names.clone(),
            history: data.history.clone(),
            output_names: data.output_names.clone(),
            classes: data.classes.clone(),
            importance: Vec::new(),
            flash: None,
            polynomial: false,
            ranges,
            half_widths: Vec::new(),
            slope: None,
            confidence: None,
            limits: vec![[f32::MIN, f32::MAX]; if data.classes.is_empty() { data.outputs() } else { 0 }],
        }
    }

    /// Returns the names of the readings that a prediction takes: those of the inputs, or of the channels of a sample.
    pub(crate) fn readings(&self) -> &[String] {
        if self.history.is_empty() { &self.input_names } else { self.history.channels() }
    }

    /// Limits the outputs to the ranges of the targets, extended at both ends by `margin` times the range.
    pub(crate) fn limit(&mut self, targets: impl IntoIterator<Item = (f64, f64)>, margin: f64) {
        for (limits, (low, high)) in self.limits.iter_mut().zip(targets) {
            let beyond = margin * (high - low);
            *limits = [low - beyond, high + beyond].map(|limit| (limit as f32).clamp(f32::MIN, f32::MAX));
        }
    }

    /// Returns the outputs (n×k) at rows of raw readings (n×d), within their limits.
    pub fn predict(&self, x: &DMatrix<f64>) -> DMatrix<f64> {
        let mut y = self.scaling.y.undo(&self.expansion.predict(&self.scaling.inputs(x)));
        for (mut outputs, limits) in y.column_iter_mut().zip(&self.limits) {
            let [low, high] = limits.map(f64::from);
            outputs.apply(|y| *y = y.clamp(low, high));
        }
        y
    }
}
