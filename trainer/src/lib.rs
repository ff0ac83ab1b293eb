//! Fits sparse random feature models on a workstation and exports them for microcontrollers.
//!
//! A model computes `y = intercept + linear + Σ_j c_j φ(⟨ω_j, x⟩ + b_j)` with few features and few inputs per feature.
//! [`Dataset::read`] reads a data file and [`fit()`] fits a model to it. The model file holds the bytes that the crate
//! `srfm-runtime` evaluates on the device.
//!
//! ```
//! use srfm_trainer::{Dataset, FitConfig, Run, fit};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # std::env::set_current_dir(folder.path())?;
//! # let generated = srfm_trainer::data::Task::Pressure.generate(200, 0.5, 1);
//! # generated.write_csv(std::fs::File::create("sensor.csv")?)?;
//! let data = Dataset::read("sensor.csv")?; // the last column is the target
//! let fitted = fit(&data, &FitConfig::default(), &Run::new(1))?;
//! std::fs::write("sensor.srfm", fitted.blob.bytes())?;
//! # assert_eq!(srfm_trainer::Blob::new(&std::fs::read("sensor.srfm")?)?, fitted.blob);
//! # Ok(())
//! # }
//! ```
//!
//! Settings, fresh data and predictions with the device's code:
//!
//! ```
//! use srfm_trainer::data::Task;
//! use srfm_trainer::validate::Metrics;
//! use srfm_trainer::{FitConfig, Run, export, fit};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut config = FitConfig::default();
//! config.method = config.method.tuned(|t| t.features = 20);
//! let fitted = fit(&Task::Pressure.generate(400, 0.5, 1), &config, &Run::new(1))?;
//!
//! let fresh = Task::Pressure.generate(400, 0.5, 2);
//! let on_device = export::predict(&fitted.blob, &fresh.x).cast();
//! assert!(Metrics::from_predictions(&on_device, &fresh.y).rmse < 2.0); // hPa, in a range of 800
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
pub mod method;
pub mod model;
pub mod refit;
mod run;
pub mod sampling;
pub mod scaling;
pub mod search;
mod solve;
mod sums;
mod trig;
pub mod validate;
mod warp;

pub use data::{DataError, Dataset};
pub use error::FitError;
pub use export::Blob;
pub use fit::{Fit, FitConfig, Grid, check_budget, fit, fit_within};
pub use model::Model;
pub use run::{Checkpoint, Observer, Run, Workers};
