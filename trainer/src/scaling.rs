//! Standard scores of warped inputs and of targets.

use std::borrow::Cow;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use srfm_runtime::format::{LIMITED, REPLACED};

use crate::data::{Dataset, is_constant};
use crate::warp;
pub use crate::warp::{Warp, WarpError};

/// How inputs are scaled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InputScaling {
    /// Every input by its own standard deviation: inputs in different units.
    #[default]
    Standard,
    /// All inputs by one scale, the root of the mean of their variances: inputs of one kind in one unit, such as
    /// pixels. An input that hardly varies keeps its small weight. Divided by its own standard deviation it would count
    /// as much as any other, and its rare deviations would be outliers. If all inputs have the same variance, this
    /// equals [`InputScaling::Standard`], so that a spectral law has the same scale for both.
    Common,
}

/// The scaling and the warps of the inputs, before they are learned from rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Preprocessing {
    /// How inputs are scaled; none means standard.
    pub scaling: Option<InputScaling>,
    /// The warp of each input; empty where no input is warped.
    pub warps: Vec<Warp>,
    /// Whether every reading is limited to its range in the fitted rows. Readings that are warped always are.
    pub limit_inputs: bool,
    /// What replaces a missing reading of each input, which is not a number; none where the prediction is to be none.
    /// Empty where no reading is replaced.
    pub replacements: Vec<Option<f64>>,
}

impl Preprocessing {
    /// Learns the scaling of inputs and targets from `data`.
    pub(crate) fn learn(&self, data: &Dataset) -> Scaling {
        let mut scaling = Scaling::learn(data, self.scaling.unwrap_or_default(), &self.warps);
        for (input, column) in data.x.column_iter().enumerate() {
            if self.limit_inputs || scaling.warps[input].bends() {
                scaling.limits[input] = Some([column.min() as f32, column.max() as f32]);
            }
            scaling.replacements[input] =
                self.replacements.get(input).and_then(|value| value.map(|value| value as f32));
        }
        scaling
    }

    /// Checks that there is a warp for every input, or none at all, and that the rows are in their domains.
    ///
    /// # Errors
    /// [`WarpError`].
    pub(crate) fn check(&self, data: &Dataset) -> Result<(), WarpError> {
        warp::check(data, &self.warps)
    }
}

/// Shift and scale of every column: `scaled = (raw - mean) / scale`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Columns {
    /// Mean of each column.
    pub mean: Vec<f64>,
    /// Standard deviation of each column, or a common scale. The scale of a column that is constant in the device's
    /// precision is infinite, so that its values and its weights become zero.
    pub scale: Vec<f64>,
}

impl Columns {
    /// Returns the mean and standard deviation (n form) of the columns of `m`, whose rows count by `weights` of mean 1;
    /// alike where there are none.
    pub(crate) fn fit(m: &DMatrix<f64>, weights: &[f64]) -> Columns {
        let n = m.nrows() as f64;
        let weight = |row: usize| weights.get(row).copied().unwrap_or(1.0);
        let mut mean = Vec::new();
        let mut scale = Vec::new();
        for column in m.column_iter() {
            // Divided first: a sum of values near the largest f32 stays finite whatever their number.
            let shares = column.iter().enumerate();
            let centre = shares.clone().map(|(row, v)| weight(row) * (v / n)).sum::<f64>();
            let variance = shares.map(|(row, v)| weight(row) * ((v - centre) * (v - centre) / n)).sum::<f64>();
            mean.push(centre);
            scale.push(if is_constant(column.as_slice()) { f64::INFINITY } else { variance.sqrt() });
        }
        Columns { mean, scale }
    }

    /// Returns the means and, as the common scale, the root of the mean variance. Constant columns do not count.
    pub(crate) fn common(m: &DMatrix<f64>, weights: &[f64]) -> Columns {
        let mut columns = Columns::fit(m, weights);
        let variances: Vec<f64> = columns.scale.iter().filter(|s| s.is_finite()).map(|s| s * s).collect();
        let common = (variances.iter().sum::<f64>() / variances.len() as f64).sqrt();
        columns.scale.iter_mut().filter(|s| s.is_finite()).for_each(|s| *s = common);
        columns
    }

    /// Scales the columns of `m`.
    pub(crate) fn apply(&self, m: &DMatrix<f64>) -> DMatrix<f64> {
        DMatrix::from_fn(m.nrows(), m.ncols(), |i, j| (m[(i, j)] - self.mean[j]) / self.scale[j])
    }

    /// Undoes the scaling of columns that vary.
    pub(crate) fn undo(&self, m: &DMatrix<f64>) -> DMatrix<f64> {
        DMatrix::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)] * self.scale[j] + self.mean[j])
    }
}

/// Scaling of inputs and targets, learned from the rows that are fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    /// The warp of each input.
    pub(crate) warps: Vec<Warp>,
    /// The limits of the readings of each input, if they have any.
    pub(crate) limits: Vec<Option<[f32; 2]>>,
    /// What replaces a missing reading of each input, if anything does.
    pub(crate) replacements: Vec<Option<f32>>,
    /// Of the warped inputs.
    pub(crate) x: Columns,
    /// Of the targets.
    pub y: Columns,
}

impl Scaling {
    /// Learns the standard scaling of `data`, whose inputs are not warped.
    pub fn fit(data: &Dataset) -> Scaling {
        Scaling::learn(data, InputScaling::Standard, &[])
    }

    /// Learns the scaling of `data` with a warp for each input, or none at all. The warps must suit the rows. The
    /// targets of several classes have a common scale: with scales of their own, an error in a class of few rows would
    /// count too much.
    pub(crate) fn learn(data: &Dataset, inputs: InputScaling, warps: &[Warp]) -> Scaling {
        let warps = if warps.is_empty() { vec![Warp::Identity; data.inputs()] } else { warps.to_vec() };
        let warped = warped(&warps, &data.x);
        let weights = data.row_weights();
        let x = match inputs {
            InputScaling::Standard => Columns::fit(&warped, &weights),
            InputScaling::Common => Columns::common(&warped, &weights),
        };
        let y = match data.classes.is_empty() {
            true => Columns::fit(&data.y, &weights),
            false => Columns::common(&data.y, &weights),
        };
        Scaling { warps, limits: vec![None; data.inputs()], replacements: vec![None; data.inputs()], x, y }
    }

    /// Returns rows of readings in scaled coordinates.
    pub fn inputs(&self, x: &DMatrix<f64>) -> DMatrix<f64> {
        self.x.apply(&warped(&self.warps, &self.bounded(x)))
    }

    /// Returns rows of readings, of which missing ones are replaced and others within their limits.
    fn bounded<'a>(&self, x: &'a DMatrix<f64>) -> Cow<'a, DMatrix<f64>> {
        if !(0..x.ncols()).any(|input| self.flags(input) > 0) {
            return Cow::Borrowed(x);
        }
        Cow::Owned(DMatrix::from_fn(x.nrows(), x.ncols(), |i, input| self.bounded_reading(input, x[(i, input)])))
    }

    /// Returns a reading of the input within its limits, or what replaces it where it is missing.
    fn bounded_reading(&self, input: usize, x: f64) -> f64 {
        let x = if x.is_nan() { self.replacements[input].map_or(x, f64::from) } else { x };
        self.limits[input].map_or(x, |[low, high]| x.clamp(low.into(), high.into()))
    }

    /// Returns a reading of the input in scaled coordinates, as [`Scaling::inputs`] does.
    pub(crate) fn input(&self, input: usize, x: f64) -> f64 {
        let warped = self.warps[input].apply(self.bounded_reading(input, x));
        (warped - self.x.mean[input]) / self.x.scale[input]
    }

    /// Returns the flags of the input in model files: whether readings are limited, and missing ones replaced.
    pub(crate) fn flags(&self, input: usize) -> u8 {
        let flag = |set: bool, flag: u8| if set { flag } else { 0 };
        flag(self.limits[input].is_some(), LIMITED) | flag(self.replacements[input].is_some(), REPLACED)
    }

    /// Returns the dataset in scaled coordinates.
    pub fn apply(&self, data: &Dataset) -> Dataset {
        Dataset {
            x: self.inputs(&data.x),
            y: self.y.apply(&data.y),
            input_names: data.input_names.clone(),
            output_names: data.output_names.clone(),
            classes: data.classes.clone(),
            weights: data.weights.clone(),
            groups: data.groups.clone(),
            history: data.history.clone(),
        }
    }
}

/// The columns of `x`, each warped.
fn warped<'a>(warps: &[Warp], x: &'a DMatrix<f64>) -> Cow<'a, DMatrix<f64>> {
    if !warps.iter().any(|warp| warp.bends()) {
        return Cow::Borrowed(x);
    }
    Cow::Owned(DMatrix::from_fn(x.nrows(), x.ncols(), |i, j| warps[j].apply(x[(i, j)])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaled_columns_have_mean_zero_and_variance_one() {
        let m = DMatrix::from_column_slice(4, 2, &[1e9, 1e9 + 2.0, 1e9 + 4.0, 1e9 + 6.0, 5.0, 5.0, 5.0, 5.0]);
        // 1e9 + 2 and 1e9 are one value in f32 (spacing 64): both columns are constant to the device.
        assert_eq!(Columns::fit(&m, &[]).scale, [f64::INFINITY; 2]);
        assert_eq!(Columns::fit(&m, &[]).apply(&m), DMatrix::zeros(4, 2));

        let m = DMatrix::from_column_slice(4, 1, &[1.0, 2.0, 3.0, 6.0]);
        let columns = Columns::fit(&m, &[]);
        let scaled = columns.apply(&m);
        assert!(scaled.sum().abs() < 1e-15 && (scaled.norm_squared() - 4.0).abs() < 1e-14);
        assert!((columns.undo(&scaled) - m).amax() < 1e-15);
    }

    #[test]
    fn a_common_scale_keeps_small_inputs_small() {
        let m = DMatrix::from_column_slice(4, 3, &[0.0, 2.0, 0.0, 2.0, 0.0, 14.0, 0.0, 14.0, 3.0, 3.0, 3.0, 3.0]);
        let columns = Columns::common(&m, &[]); // variances 1 and 49
        assert_eq!((columns.scale[0], columns.scale[1], columns.scale[2]), (5.0, 5.0, f64::INFINITY));
        let alike = m.columns(0, 1).into_owned();
        assert_eq!(Columns::common(&alike, &[]), Columns::fit(&alike, &[]));
    }

    #[test]
    fn rows_of_weight_two_count_twice() {
        let once = DMatrix::from_column_slice(3, 1, &[1.0, 2.0, 6.0]);
        let twice = DMatrix::from_column_slice(4, 1, &[1.0, 2.0, 6.0, 6.0]);
        let weighted = Columns::fit(&once, &[0.75, 0.75, 1.5]);
        let copied = Columns::fit(&twice, &[]);
        assert!((weighted.mean[0] - copied.mean[0]).abs() < 1e-15);
        assert!((weighted.scale[0] - copied.scale[0]).abs() < 1e-15);
    }

    #[test]
    fn columns_are_warped_before_they_are_scaled() {
        let x = DMatrix::from_column_slice(4, 2, &[1.0, 2.0, 4.0, 8.0, -1.0, 0.0, 1.0, 4.0]);
        let data = Dataset {
            x,
            y: DMatrix::from_column_slice(4, 1, &[0.0, 1.0, 2.0, 3.0]),
            input_names: vec!["f".to_owned(), "t".to_owned()],
            output_names: vec!["y".to_owned()],
            classes: vec![],
            weights: vec![],
            groups: vec![],
            history: Default::default(),
        };
        let scaling = Scaling::learn(&data, InputScaling::Standard, &[Warp::Log, Warp::Identity]);
        // Logarithms 0, 1, 2, 3 have mean 3/2 and variance 5/4.
        assert_eq!((scaling.x.mean[0], scaling.x.mean[1]), (1.5, 1.0));
        assert_eq!((scaling.x.scale[0], scaling.x.scale[1]), (1.25_f64.sqrt(), 3.5_f64.sqrt()));
        let scaled = scaling.apply(&data).x;
        assert_eq!((scaled[(3, 0)], scaled[(3, 1)]), (1.5 / 1.25_f64.sqrt(), 3.0 / 3.5_f64.sqrt()));
        let plain = Scaling::fit(&data);
        assert_eq!((&plain.warps[..], plain.x.mean[0]), (&[Warp::Identity; 2][..], 3.75));
    }
}
