//! The arithmetic of the features: one kernel a file, each with its range, its largest error and its cost.

pub mod cosine_f32;
