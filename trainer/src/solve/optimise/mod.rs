//! Minimisation of smooth functions, unconstrained, with bounds and on the simplex.

pub mod adam;
pub mod fista;
pub mod lbfgs;
pub mod levenberg_marquardt;
pub mod spectral_gradient;
