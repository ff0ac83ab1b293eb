//! Tables of the ARFF paper.

pub mod cases;
mod gradient_descent;
pub mod sigma;
mod sine_integral;
pub mod table1;
