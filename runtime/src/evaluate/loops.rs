//! Parts of loops over features.

use core::hint::black_box;

use crate::kernel::KernelEvaluator;

/// Keeps the loop around the call from being unrolled, which takes several times the flash. Takes no instruction
/// itself.
#[inline(always)]
pub(super) fn rolled() {
    black_box(());
}

/// Takes the bias off the front of a record; where records have none, a zero that leaves the sum after it as it is.
#[inline(always)]
pub(super) fn bias<E: KernelEvaluator>(record: &[f32]) -> Option<(f32, &[f32])> {
    if E::KERNEL.has_bias() {
        let (&bias, record) = record.split_first()?;
        Some((bias, record))
    } else {
        Some((-0.0, record))
    }
}
