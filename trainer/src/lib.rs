//! Fits sparse random feature models on a workstation and exports them for microcontrollers.
//!
//! A model computes `y = intercept + linear + Σ_j c_j φ(⟨ω_j, x⟩ + b_j)` with few features and few inputs per feature.
//! A [`Dataset`] has the rows, a [`method`] or a [`search`](search::search) fits a model to them, and a [`Fit`] has the
//! model file, whose bytes the crate `srfm-runtime` evaluates on the device.
//!
//! # From a CSV file to a model file
//!
//! ```
//! use srfm_trainer::validate::Metrics;
//! use srfm_trainer::{Blob, Dataset, FitConfig, Run, fit};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # std::env::set_current_dir(folder.path())?;
//! # let generated = srfm_trainer::data::Task::Pressure.generate(200, 0.5, 1);
//! # generated.write_csv(std::fs::File::create("sensor.csv")?)?;
//! let data = Dataset::read("sensor.csv")?; // the last column is the target
//! let (train, test) = data.split(0.25, 1)?;
//! fit(&train, &FitConfig::default(), &Run::new(1))?.save("sensor.srfm")?;
//! let loaded = Blob::read("sensor.srfm")?;
//! let metrics = Metrics::from_predictions(&loaded.predict(&test.x), &test.y);
//! println!("R² {:.3} in {} bytes", metrics.r2, loaded.bytes().len());
//! # assert!(metrics.r2 > 0.9);
//! # assert_eq!(std::fs::read_dir(".")?.count(), 2);
//! # Ok(())
//! # }
//! ```
//!
//! [`data::Source`] reads files with several targets, classes, categories or missing values.
//!
//! # The settings of a method
//!
//! Every method is a type whose fields are its settings: [`method`] lists them. The settings fit by themselves, or
//! [`FitConfig::new`] leaves the choice of λ to cross-validation.
//!
//! ```
//! use srfm_trainer::method::Harfe;
//! use srfm_trainer::validate::Metrics;
//! use srfm_trainer::{FitConfig, FitMethod, Run, fit};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let data = srfm_trainer::data::Task::Pressure.generate(400, 0.5, 1);
//! # let fresh = srfm_trainer::data::Task::Pressure.generate(400, 0.5, 2);
//! let method = Harfe { features: 20, lambda: 1e-4, ..Harfe::default() };
//! let fitted = method.fit(&data, &Run::new(1))?;
//! let error = Metrics::from_predictions(&fitted.predict(&fresh.x), &fresh.y).rmse; // by the device's own code
//! assert!(error < 2.0); // hPa, in a range of 800
//!
//! let validated = fit(&data, &FitConfig::new(method), &Run::new(1))?;
//! println!("cross-validated error {:.2} hPa", validated.score().expect("λ was chosen").rmse);
//! # assert!(fitted.score().is_none() && validated.score().unwrap().rmse < error); // with a smaller λ
//! # Ok(())
//! # }
//! ```
//!
//! # A search within a budget
//!
//! ```
//! use srfm_trainer::cost::Budget;
//! use srfm_trainer::search::{SearchConfig, search};
//! use srfm_trainer::{Conditions, Run};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let data = srfm_trainer::data::Task::Pressure.generate(200, 0.5, 1);
//! let budget = Budget { flash: Some(400), ..Budget::default() };
//! let config = SearchConfig { effort: Some(0.1), ..SearchConfig::new(Conditions::default(), budget) };
//! let found = search(&data, &config, &Run::new(1))?;
//! assert!(found.fit.blob.bytes().len() <= 400);
//! println!("{} tried, chosen: {}", found.trials.len(), found.fit.chosen.name());
//! # assert!(found.fit.score().unwrap().standardised_mse < 0.05);
//! # Ok(())
//! # }
//! ```
//!
//! # Several targets
//!
//! ```
//! use srfm_trainer::method::Compact;
//! use srfm_trainer::nalgebra::DMatrix;
//! use srfm_trainer::{Dataset, FitMethod, Run};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let x = DMatrix::from_fn(200, 2, |row, input| ((row + 7) * (input + 3) % 31) as f64);
//! let y = DMatrix::from_fn(200, 2, |row, target| (x[(row, target)] / 5.0).sin());
//! let data = Dataset::new(x, y)?.with_names(["left", "right"], ["up", "down"])?;
//! let fitted = Compact { features: 6, ..Compact::default() }.fit(&data, &Run::new(1))?;
//! assert_eq!(fitted.predict(&data.x).ncols(), 2); // the targets share the features
//! # assert!((fitted.predict(&data.x) - &data.y).amax() < 0.05);
//! # Ok(())
//! # }
//! ```
//!
//! # Classes
//!
//! ```
//! use srfm_trainer::method::Harfe;
//! use srfm_trainer::{Dataset, FitMethod, Run};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let x = srfm_trainer::nalgebra::DMatrix::from_fn(200, 2, |row, input| ((row + 7) * (input + 3) % 31) as f64);
//! let label = |row: usize| if x[(row, 0)] > 15.0 { "warm" } else { "cold" };
//! let labels: Vec<&str> = (0..x.nrows()).map(label).collect();
//! let data = Dataset::from_labels(x, &labels)?;
//! let fitted = Harfe { features: 20, ..Harfe::default() }.fit(&data, &Run::new(1))?;
//! let predicted = fitted.predict_classes(&data.x);
//! let right = predicted.iter().zip(&labels).filter(|(predicted, label)| **predicted == Some(**label)).count();
//! assert!(right > 190);
//! # Ok(())
//! # }
//! ```
//!
//! # Intervals around predictions
//!
//! Cross-validation gives every prediction an interval that holds the target of a fresh row with a probability of 0.9.
//!
//! ```
//! use srfm_trainer::method::Harfe;
//! use srfm_trainer::{FitConfig, Run, fit};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let data = srfm_trainer::data::Task::Friedman1.generate(300, 1.0, 1);
//! # let fresh = srfm_trainer::data::Task::Friedman1.generate(1000, 1.0, 2);
//! let fitted = fit(&data, &FitConfig::new(Harfe { features: 20, ..Harfe::default() }), &Run::new(1))?;
//! let half_width = fitted.half_width(0).expect("cross-validated quantities have intervals");
//! let errors = fitted.predict(&fresh.x) - &fresh.y;
//! let inside = errors.iter().filter(|error| error.abs() <= half_width).count();
//! assert!((inside as f64 / errors.len() as f64 - 0.9).abs() < 0.04);
//! # Ok(())
//! # }
//! ```
//!
//! # The cost on a core
//!
//! ```
//! use srfm_trainer::cost::{Core, Deployment, instruction_bound};
//! use srfm_trainer::emulate::footprint;
//! # use srfm_trainer::{FitMethod, Run, method::Harfe};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let data = srfm_trainer::data::Task::Pressure.generate(200, 0.5, 1);
//! # let fitted = Harfe { features: 10, ..Harfe::default() }.fit(&data, &Run::new(1))?;
//! let core = Core::CortexM4f;
//! let file = fitted.blob.bytes().len();
//! let instructions = instruction_bound(&fitted.blob.model(), core); // of a prediction, at most
//! println!("{file} bytes, {instructions} instructions on {core}");
//! let program = footprint(&fitted.blob, &Deployment::C(core))?.expect("known for f32 on an M4F");
//! println!("as generated C: {} bytes of flash, {} bytes of stack", program.flash_bytes, program.stack_bytes);
//! # assert!(program.flash_bytes > 100 && program.stack_bytes > 0 && instructions > 100);
//! # Ok(())
//! # }
//! ```
//!
//! # C source
//!
//! ```
//! use srfm_trainer::export::CSource;
//! # use srfm_trainer::{FitMethod, Run, method::Harfe};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let data = srfm_trainer::data::Task::Pressure.generate(200, 0.5, 1);
//! # let fitted = Harfe { features: 10, ..Harfe::default() }.fit(&data, &Run::new(1))?;
//! # let folder = tempfile::tempdir()?;
//! # std::env::set_current_dir(folder.path())?;
//! CSource::new(&fitted.blob, "pressure")?.save("pressure.h")?;
//! # assert!(std::fs::read_to_string("pressure.h")?.contains("pressure_predict"));
//! # Ok(())
//! # }
//! ```
//!
//! # A method of one's own
//!
//! A method turns scaled columns into a [`model::Expansion`]. Cross-validation, budgets, export and the device follow.
//!
//! ```
//! use serde::{Deserialize, Serialize};
//! use srfm_trainer::data::Dataset;
//! use srfm_trainer::method::{Method, MethodError, Terms, Tunable, fit_pairs};
//! use srfm_trainer::model::{Expansion, Feature};
//! use srfm_trainer::{FitMethod, Run, sampling::Sampler};
//!
//! #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
//! struct Waves(Vec<Feature>); // these and no others
//!
//! impl Method for Waves {
//!     fn name(&self) -> &'static str { "waves" }
//!     fn fit_path(&self, data: &Dataset, lambdas: &[f64], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
//!         Ok(vec![fit_pairs(data, &self.0, Terms::Linear, 5, &mut Sampler::new(run.seed()))?.0; lambdas.len()])
//!     }
//!     fn tunable(&self) -> Tunable { Tunable::of_features(self.0.len()) }
//!     fn tune(&mut self, tunable: Tunable) { self.0.truncate(tunable.features) }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let data = srfm_trainer::data::Task::Pressure.generate(200, 0.5, 1);
//! # let feature = |input| Feature { support: vec![input], weights: vec![1.0], bias: 0.0 };
//! # let waves = Waves((0..data.inputs()).map(feature).collect());
//! let fitted = waves.fit(&data, &Run::new(1))?;
//! # assert_eq!((fitted.chosen.name(), fitted.blob.model().header().method), ("waves", "waves"));
//! # assert!(srfm_trainer::validate::Metrics::from_predictions(&fitted.predict(&data.x), &data.y).r2 > 0.9);
//! # Ok(())
//! # }
//! ```
#![deny(missing_docs)]

pub mod compare;
pub mod cost;
pub mod data;
pub mod emulate;
mod error;
pub mod export;
mod features;
mod fit;
mod importance;
pub(crate) mod linalg;
pub mod message;
pub mod method;
pub mod model;
mod novelty;
pub mod refit;
pub mod request;
mod run;
pub mod sampling;
pub mod scaling;
pub mod search;
mod solve;
mod sums;
mod trees;
mod trig;
pub mod validate;
mod warp;

pub use data::{DataError, Dataset};
pub use error::FitError;
pub use export::Blob;
pub use fit::{Conditions, FalseAlarms, Fit, FitConfig, FitMethod, Grid, check_budget, fit, fit_within};
pub use model::Model;
pub use nalgebra;
pub use run::{Checkpoint, Observer, Run, Tried, Workers};
