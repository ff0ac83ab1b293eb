//! Fits sparse random feature models on a workstation and exports them for microcontrollers.
//!
//! A model computes `y = intercept + linear + Σ_j c_j φ(⟨ω_j, x⟩ + b_j)` with few features and few inputs per feature.
//! [`fit::fit`] learns one from a [`data::Dataset`], [`export::export`] folds all scaling into it and writes the bytes
//! that the `srfm-runtime` crate evaluates on the device.
//!
//! ```
//! use srfm_trainer::data::generate::Task;
//! use srfm_trainer::fit::{FitConfig, fit};
//! use srfm_trainer::run::Run;
//! use srfm_trainer::export;
//! use srfm_trainer::validate::metrics::Metrics;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let data = Task::Pressure.generate(400, 0.5, 1);
//! let mut config = FitConfig::default();
//! config.method = config.method.tuned(|t| t.features = 20);
//! let model = fit(&data, &config, &Run::new(1))?.model;
//! let blob = export::export(&model)?;
//! export::verify(&blob, &model, &data, export::LARGEST_SHARE)?;
//!
//! let fresh = Task::Pressure.generate(400, 0.5, 2);
//! let on_device = export::predict(&blob, &fresh.x).cast();
//! assert!(Metrics::of(&on_device, &fresh.y).rmse < 2.0); // hPa, of a range of 800
//! # Ok(())
//! # }
//! ```
#![deny(missing_docs)]

pub mod cost;
pub mod data;
pub mod emulate;
pub mod error;
pub mod export;
pub mod features;
pub mod fit;
pub mod importance;
pub mod linalg;
pub mod method;
pub mod model;
pub mod run;
pub mod sampling;
pub mod scaling;
pub mod search;
mod solve;
mod trig;
pub mod validate;
pub mod warp;
