//! The operations in floating point of a prediction. Where floating point is software, each is a call that takes more
//! instructions for some numbers than for others.

use std::ops::{AddAssign, Mul};

use srfm_runtime::Model;
use srfm_runtime::format::{Kernel, LIMITED, Warp};

/// The names of the operations in the table of prices.
pub(crate) const NAMES: [&str; 6] = ["addition", "multiplication", "division", "comparison", "log", "sqrt"];

/// Numbers of operations, or their prices, in the order of [`NAMES`]: additions and subtractions, multiplications,
/// divisions, comparisons, and the warps, which are functions of one reading.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Operations(pub [f64; NAMES.len()]);

impl Operations {
    /// A multiplication whose product is added to a sum.
    const TERM: Operations = Operations([1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);

    /// Returns the operations of a prediction in floating point.
    pub fn of(model: &Model<'_>) -> Self {
        let outputs = model.outputs() as f64;
        let terms = f64::from(model.header().linear);
        let mut total = Operations::TERM * (outputs * terms);
        // An output is compared with both limits; beyond them once more, and with itself.
        total += Operations([0.0, 0.0, 0.0, 4.0, 0.0, 0.0]) * model.limits().len() as f64;
        for prepared in model.prepared() {
            let centring = Operations([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
            total += centring;
            total += Operations::of_warp(prepared.warp_number());
            // A reading is compared with itself, and with both limits.
            let compared = if prepared.warp & LIMITED != 0 { 3.0 } else { 1.0 };
            total += Operations([0.0, 0.0, 0.0, compared, 0.0, 0.0]);
        }
        for block in model.blocks() {
            let amplitudes = outputs * block.kernel.scales().len() as f64;
            let mut feature = Operations::TERM * (f64::from(block.order) + amplitudes);
            feature += Operations::of_kernel(block.kernel);
            total += feature * block.features() as f64;
        }
        total
    }

    /// Returns the operations of the values of a feature, counted in the runtime's source.
    fn of_kernel(kernel: Kernel) -> Self {
        Operations(match kernel {
            Kernel::Cosine | Kernel::Polynomial => [7.0, 4.0, 0.0, 0.0, 0.0, 0.0],
            Kernel::Sincos => [10.0, 8.0, 0.0, 0.0, 0.0, 0.0],
            Kernel::Sigmoid => [8.0, 5.0, 1.0, 2.0, 0.0, 0.0],
            Kernel::Relu => [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        })
    }

    fn of_warp(warp: u8) -> Self {
        Operations(match Warp::of(warp) {
            Some(Warp::Log) => [0.0, 0.0, 0.0, 0.0, 1.0, 0.0],
            Some(Warp::Sqrt) => [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            Some(Warp::Identity) | None => [0.0; NAMES.len()],
        })
    }

    /// Returns the instructions of the operations at these prices.
    pub fn priced(&self, prices: &Operations) -> f64 {
        let executed = self.0.into_iter().zip(prices.0).filter(|&(count, _)| count > 0.0);
        executed.map(|(count, price)| count * price).sum()
    }
}

impl Mul<f64> for Operations {
    type Output = Operations;

    fn mul(self, factor: f64) -> Operations {
        Operations(self.0.map(|count| count * factor))
    }
}

impl AddAssign for Operations {
    fn add_assign(&mut self, other: Operations) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, count)| *sum += count);
    }
}
