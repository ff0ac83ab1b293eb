//! The largest model that fits a flash budget, known before anything is fitted.

use nalgebra::DMatrix;

use super::{ExportError, export};
use crate::data::Dataset;
use crate::features::{Activation, Feature};
use crate::method::{FitError, MethodConfig, Terms};
use crate::model::{Expansion, Model};
use crate::scaling::Scaling;

/// The flash in bytes that a model of `features` features of `order` inputs fitted to `data` takes at most.
///
/// Writes a model of that shape that uses every input; a fitted one can only use fewer.
pub fn flash_bytes(data: &Dataset, method: &MethodConfig, features: usize) -> Result<usize, ExportError> {
    let (inputs, outputs) = (data.varying_inputs(), data.outputs());
    let order = method.tunable().order.min(inputs.len());
    let feature = |j: usize| Feature {
        support: (0..order).map(|i| inputs[(j + i) % inputs.len()]).collect(),
        // Different ones: features of one frequency would be merged.
        weights: vec![1.0 + j as f64; order],
        bias: 0.0,
    };
    let linear = if method.tunable().terms == Terms::Linear { 1.0 } else { 0.0 };
    let expansion = Expansion {
        activation: Activation::Sine,
        features: (0..features).map(feature).collect(),
        coefficients: DMatrix::from_element(features, outputs, 1.0),
        intercept: DMatrix::zeros(1, outputs),
        linear: DMatrix::from_element(data.inputs(), outputs, linear),
    };
    // Any target scale that f32 can hold: only the length matters.
    let mut scaling = Scaling::of(data);
    scaling.y.mean.fill(0.0);
    scaling.y.scale.fill(1.0);
    Ok(export(&Model::new(method.name(), expansion, scaling, data))?.bytes().len())
}

/// The largest number of features, up to the method's own, of a model that takes at most `flash` bytes.
///
/// # Errors
/// [`FitError::Budget`] where not even one feature fits.
pub fn features_within(data: &Dataset, method: &MethodConfig, flash: usize) -> Result<usize, FitError> {
    let bytes = |features| flash_bytes(data, method, features).unwrap_or(usize::MAX);
    let smallest = bytes(1);
    if smallest > flash {
        return Err(FitError::Budget { flash, smallest });
    }
    // Invariant: `fits` fits and `beyond` does not.
    let (mut fits, mut beyond) = (1, method.tunable().features + 1);
    while beyond - fits > 1 {
        let middle = fits.midpoint(beyond);
        if bytes(middle) <= flash { fits = middle } else { beyond = middle }
    }
    Ok(fits)
}
