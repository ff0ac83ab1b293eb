//! Making models smaller: what of them matters, and steps that bring them to few features.
//!
//! A feature that is kept costs the device for ever, training happens once. So [`dictionary`] draws far more frequencies than
//! are kept, [`crate::solve::forward_selection`] or [`crate::solve::elimination`] keeps those that count, [`refine`] moves them
//! to where they fit best, and [`sparsify`] takes weights out of them. All fit the amplitudes of a [`problem`],
//! whose penalty may ask for [`smoothness`].

pub mod dictionary;
pub mod importance;
pub mod problem;
pub mod refine;
pub mod smoothness;
pub mod sparsify;
