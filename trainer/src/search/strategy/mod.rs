//! The strategy of a search: the sequence of candidates that it tries.
//!
//! The sequence starts with small models. With few features it asks whether linear terms pay, how many inputs a
//! feature uses, which inputs can be left out, which warps help, and how large λ is. Then come the number of
//! features, again the inputs of a feature, the number format and every single setting while changes help, then the
//! other methods. A larger budget of flash starts with the best model of a smaller one: more features come first, and
//! inputs and warps are chosen with them. On all rows, the best models get more features once more.
//!
//! A change is kept if it lowers the cross-validated error on the same folds. Models with refined frequencies, with
//! pruned weights and with unrefined frequencies are improved separately: refined ones fit more closely, unrefined ones
//! overfit less.

mod attempts;
mod cost;
mod gradients;
mod inputs;
mod orders;
mod sequence;
mod settings;
mod sizes;
mod start;
#[cfg(test)]
mod tests;

pub(crate) use attempts::{Stop, Strategy};
pub(crate) use gradients::{COMPARED_ROWS, gradient_folds, is_large, takes_gradients};
