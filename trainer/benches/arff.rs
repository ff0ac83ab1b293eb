//! CPU time of a step of ARFF on one thread, beside the operations that a step needs.
//!
//! ```sh
//! cargo bench -p srfm-benches --bench arff
//! ```
//!
//! A step on b rows of d inputs with K frequencies of q inputs, p = 2K columns and k targets needs
//!
//! | part | operations |
//! |---|---|
//! | projections | 2 b q K |
//! | Gram matrix | b p², half of all products by symmetry |
//! | moments | 2 b p k |
//! | Cholesky | p³ / 3 |
//!
//! beside b K sines and cosines, K q normal numbers and the selection of b rows. The bound is the time of these
//! operations at the rate of a product of large matrices.
//!
//! On one core of an AMD EPYC of the Zen 5 generation, with 74·10⁹ operations a second in a product of large matrices:
//!
//! | | time of a step | bound / time |
//! |---|---|---|
//! | MNIST, K = 1024 | 400 ms | 0.68 |
//! | sensor, K = 100 | 2.1 ms | 0.54 |

use std::hint::black_box;

use cpu_time::ProcessTime;
use nalgebra::DMatrix;
use rayon::ThreadPoolBuilder;
use srfm_trainer::Run;
use srfm_trainer::data::Dataset;
use srfm_trainer::method::{MethodConfig, MethodError, Terms};
use srfm_trainer::sampling::Sampler;

/// Steps over which the time of one is averaged.
const STEPS: usize = 8;

/// The sizes of a step.
struct Shape {
    name: &'static str,
    rows: usize,
    batch: usize,
    inputs: usize,
    order: usize,
    frequencies: usize,
    targets: usize,
}

const SHAPES: [Shape; 2] = [
    Shape { name: "MNIST", rows: 60_000, batch: 3000, inputs: 784, order: 784, frequencies: 1024, targets: 10 },
    Shape { name: "sensor", rows: 2000, batch: 2000, inputs: 10, order: 2, frequencies: 100, targets: 1 },
];

impl Shape {
    fn data(&self) -> Dataset {
        let mut sampler = Sampler::new(1);
        let mut random = |columns| DMatrix::from_fn(self.rows, columns, |_, _| sampler.uniform(-1.0, 1.0));
        let (x, y) = (random(self.inputs), random(self.targets));
        Dataset::new(x, y).expect("finite rows")
    }

    fn method(&self, steps: usize) -> Result<MethodConfig, MethodError> {
        let arff = MethodConfig::named("arff")?.with("order", self.order)?.with("features", self.frequencies)?;
        let arff = arff.with("batch", self.batch)?.with("steps", steps)?.with("step_length", 0.1)?;
        let arff = arff.with("refit", 0)?.with("start", 0.1)?.with("exponent", 3.0 * self.order as f64 - 2.0)?;
        arff.with("terms", Terms::None)
    }

    /// CPU time of a fit of some steps, in seconds.
    fn seconds(&self, steps: usize, data: &Dataset) -> f64 {
        let method = self.method(steps).expect("settings of ARFF");
        let started = ProcessTime::now();
        black_box(method.method().fit_expansion(data, &Run::new(2)).expect("finite rows"));
        started.elapsed().as_secs_f64()
    }

    fn measure(&self) {
        let data = self.data();
        let seconds = (self.seconds(STEPS, &data) - self.seconds(0, &data)) / STEPS as f64;
        let (b, p, q) = (self.batch as f64, 2.0 * self.frequencies as f64, self.order as f64);
        let operations = b * p * (q + p + 2.0 * self.targets as f64) + p * p * p / 3.0;
        println!("{:<7} {:>9.2} ms a step, {:>7.1} Gflop/s", self.name, 1e3 * seconds, operations / seconds / 1e9);
    }
}

fn main() {
    ThreadPoolBuilder::new().num_threads(1).build_global().expect("a thread");
    SHAPES.iter().for_each(Shape::measure);
}
