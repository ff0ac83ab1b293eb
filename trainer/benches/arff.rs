//! CPU time of a step of ARFF and of its parts on one thread, beside the operations that they cannot do without.
//!
//! ```sh
//! cargo bench -p srfm-trainer --bench arff
//! ```
//!
//! A step on b rows of d inputs with K frequencies of q inputs, p = 2K columns and k targets takes
//!
//! | part | operations |
//! |---|---|
//! | projections | 2 b q K |
//! | Gram matrix | b p², half of all products by symmetry |
//! | moments | 2 b p k |
//! | Cholesky | p³ / 3 |
//!
//! beside b K sines and cosines, K q normal numbers and the b rows. The bound is these operations at the rate of a product of
//! large matrices, 74·10⁹ a second here (numpy 2.4 with OpenBLAS: 56·10⁹).
//!
//! On one core of an AMD EPYC of the Zen 5 generation:
//!
//! | | MNIST, K = 1024 | bound / time | sensor, K = 100 | bound / time |
//! |---|---|---|---|---|
//! | rows | 9 ms | | 0.01 ms | |
//! | normal numbers | 16 ms | | 0.00 ms | |
//! | values of pairs | 91 ms | 0.71 | 0.77 ms | sines |
//! | Gram matrix | 185 ms | 0.92 | 1.03 ms | 1.06 |
//! | moments | 4 ms | 0.46 | 0.13 ms | 0.08 |
//! | Cholesky and solution | 55 ms | 0.70 | 0.08 ms | 0.48 |
//! | step | 400 ms | 0.68 | 2.1 ms | 0.54 |
//!
//! What a step takes beyond its parts is the system's first touch of its matrices.

use std::hint::black_box;

use cpu_time::ProcessTime;
use nalgebra::DMatrix;
use rayon::ThreadPoolBuilder;
use srfm_trainer::features::{Feature, pair_matrix};
use srfm_trainer::linalg::{cholesky_solve, gram, product, transpose_product};
use srfm_trainer::method::Basis;
use srfm_trainer::method::arff::metropolis::Walk;
use srfm_trainer::sampling::{Sampler, SpectralLaw};

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

/// Shortest of some runs in seconds.
fn seconds(runs: usize, mut work: impl FnMut()) -> f64 {
    let once = |_| {
        let started = ProcessTime::now();
        work();
        started.elapsed().as_secs_f64()
    };
    (0..runs).map(once).fold(f64::INFINITY, f64::min)
}

fn random(rows: usize, columns: usize, sampler: &mut Sampler) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |_, _| sampler.uniform(-1.0, 1.0))
}

impl Shape {
    fn measure(&self, rate: f64) {
        let mut sampler = Sampler::new(1);
        let x = random(self.rows, self.inputs, &mut sampler);
        let y = random(self.rows, self.targets, &mut sampler);
        let inputs: Vec<usize> = (0..self.inputs).collect();
        let law = SpectralLaw::Normal { scale: 0.1 };
        let frequencies: Vec<Feature> = law.sample(self.frequencies, &inputs, self.order, &mut sampler);
        let (b, p, q) = (self.batch as f64, 2.0 * self.frequencies as f64, self.order as f64);
        let part = |name: &str, operations: f64, seconds: f64| {
            let (rate, bound) = (operations / seconds / 1e9, operations / rate);
            println!(
                "{:<7} {name:<22} {:>9.2} ms {rate:>7.1} Gflop/s, bound/time {:.2}",
                self.name,
                1e3 * seconds,
                bound / seconds
            );
        };
        let rows = sampler.choose(self.rows, self.batch);
        part("rows", 0.0, seconds(5, || drop(black_box((x.select_rows(&rows), y.select_rows(&rows))))));
        let normals = self.frequencies * self.order;
        part(
            "normal numbers",
            0.0,
            seconds(5, || drop(black_box((0..normals).map(|_| sampler.normal()).collect::<Vec<_>>()))),
        );
        let (x_batch, y_batch) = (x.select_rows(&rows), y.select_rows(&rows));
        part("values of pairs", b * q * p, seconds(5, || drop(black_box(pair_matrix(&x_batch, &frequencies)))));
        let values = pair_matrix(&x_batch, &frequencies);
        part("Gram matrix", b * p * p, seconds(5, || drop(black_box(gram(&values)))));
        let moments = transpose_product(&values, &y_batch);
        part(
            "moments",
            2.0 * b * p * self.targets as f64,
            seconds(5, || drop(black_box(transpose_product(&values, &y_batch)))),
        );
        let mut system = gram(&values);
        (0..system.nrows()).for_each(|i| system[(i, i)] += 0.1 * b);
        part("Cholesky", p * p * p / 3.0, seconds(5, || drop(black_box(cholesky_solve(&system, &moments)))));

        let walk = Walk {
            x: &x,
            y: &y,
            inputs: &inputs,
            basis: Basis::Pair,
            lambda: 0.1,
            batch: self.batch,
            step_length: 0.1,
            exponent: 3.0 * q - 2.0,
            max_frequency: 1e3,
            exchange: 0.2,
            refit: 0,
            burn_in: None,
        };
        let mut chain = walk.start(frequencies, Sampler::new(2)).expect("finite rows");
        let operations = b * p * (q + p + 2.0 * self.targets as f64) + p * p * p / 3.0;
        part("step", operations, seconds(8, || walk.step(&mut chain).expect("finite rows")));
    }
}

fn main() {
    ThreadPoolBuilder::new().num_threads(1).build_global().expect("a thread");
    let mut sampler = Sampler::new(3);
    let (a, b) = (random(3000, 2048, &mut sampler), random(2048, 2048, &mut sampler));
    let rate = 2.0 * 3000.0 * 2048.0 * 2048.0 / seconds(5, || drop(black_box(product(&a, &b))));
    println!("largest matrix product: {:.1} Gflop/s", rate / 1e9);
    SHAPES.iter().for_each(|shape| shape.measure(rate));
}
