//! CPU time of HARFE on the problem of `harfe_numpy.py`, and of the parts of a fit with what bounds them.
//!
//! ```sh
//! cargo bench -p srfm-trainer --bench harfe; python3 trainer/benches/harfe_numpy.py
//! ```
//!
//! On two cores of an AMD EPYC of the Zen 5 generation, in one run (medians over 11 seeds; the random numbers differ):
//!
//! | | iterations, mean | CPU time |
//! |---|---|---|
//! | numpy 2.4 with OpenBLAS, one thread | 16 | 0.28 s |
//! | here, one thread | 20 | 0.085 s |
//! | here, two threads | 20 | 0.09 s |
//!
//! | part, one thread | reached | bound | ratio |
//! |---|---|---|---|
//! | sines | 0.34·10⁹ a second | some 40 vector operations for four, 10⁹ a second | 0.3 |
//! | feature matrix | 29 ms | the system's first touch of its 40 MB, 23 ms | 0.8 |
//! | descent `Aᵀ r` | 26 GB/s | reading A at numpy's 31 GB/s | 0.85 |
//! | Gram matrix | 76·10⁹ multiplications a second | numpy's 26·10⁹, twice that by symmetry | 1.4 |
//! | ridge fit | 2.7 ms | the Gram matrix and n³/3 operations at numpy's rate, 2.4 ms | 0.9 |
//!
//! An iteration exchanges about 5 of the 500 columns, so that all but a hundredth of the Gram matrix is kept. What is left
//! of a fit is the feature matrix, the descent and the factorisations, a third each.

mod measure;

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use cpu_time::ProcessTime;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use measure::{CpuTime, pool};
use nalgebra::DMatrix;
use srfm_trainer::data::Dataset;
use srfm_trainer::features::{Activation, feature_matrix};
use srfm_trainer::linalg::{gram, transpose_product, zeros};
use srfm_trainer::method::{Harfe, Method, Terms};
use srfm_trainer::run::Run;
use srfm_trainer::sampling::{Sampler, SpectralLaw};
use srfm_trainer::solve::least_squares::ridge::ridge;
use srfm_trainer::trig::sin;

fn problem(seed: u64) -> Dataset {
    let mut sampler = Sampler::new(seed);
    let x = DMatrix::from_fn(500, 5, |_, _| sampler.uniform(-1.0, 1.0));
    let y = DMatrix::from_fn(500, 1, |i, _| 1.0 / (1.0 + x.row(i).norm_squared()).sqrt());
    let input_names = (1..=5).map(|i| format!("x{i}")).collect();
    Dataset { x, y, input_names, output_names: vec!["y".to_owned()], classes: Vec::new() }
}

fn method() -> Harfe {
    Harfe { features: 500, candidates: 10_000, order: 3, lambda: 1e-4, terms: Terms::None, ..Harfe::default() }
}

/// Counts how often a fit asks whether to stop: once before every iteration, and once at the end.
#[derive(Default)]
struct Counter(AtomicUsize);

impl Observer for Counter {
    fn interrupted(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed);
        false
    }
}

/// What `harfe_numpy.py` prints: seeds 0 to 10, once each.
fn summary() {
    for threads in [1, 2] {
        pool(threads).install(|| {
            let (mut iterations, mut cpu, mut wall) = (Vec::new(), Vec::new(), Vec::new());
            for seed in 0..11 {
                let (data, counter) = (problem(seed), Counter::default());
                let started = (ProcessTime::now(), Instant::now());
                black_box(method().fit(&data, seed, &counter).expect("a fit"));
                cpu.push(started.0.elapsed().as_secs_f64());
                wall.push(started.1.elapsed().as_secs_f64());
                iterations.push(counter.0.into_inner() - 2);
            }
            cpu.sort_unstable_by(f64::total_cmp);
            wall.sort_unstable_by(f64::total_cmp);
            println!(
                "{threads} thread(s): iterations {iterations:?}, median CPU {:.3} s, wall {:.3} s",
                cpu[5], wall[5]
            );
        });
    }
}

fn fits(criterion: &mut Criterion<CpuTime>) {
    summary();
    let mut group = criterion.benchmark_group("harfe CPU time");
    group.sample_size(10);
    let data = problem(0);
    for threads in [1, 2] {
        let pool = pool(threads);
        group.bench_function(format!("{threads} threads"), |bencher| {
            bencher.iter(|| pool.install(|| method().fit(&data, 0, &Counter::default())));
        });
    }
    group.finish();
}

/// The parts of a fit on one thread, with what they do in a second.
fn parts(criterion: &mut Criterion<CpuTime>) {
    let mut sampler = Sampler::new(1);
    let drawn = SpectralLaw::Normal { scale: 1.0 }.sample(10_000, &[0, 1, 2, 3, 4], 3, &mut sampler);
    let data = problem(0);
    let a = feature_matrix(&data.x, &drawn, Activation::Sine);
    let some = a.columns(0, 500).into_owned();
    let (entries, bytes) = (a.len() as u64, 8 * a.len() as u64);

    let mut group = criterion.benchmark_group("part");
    let one = pool(1);
    let mut part = |name: &str, throughput, work: &(dyn Fn() + Sync)| {
        group.throughput(throughput);
        group.bench_function(name, |bencher| bencher.iter(|| one.install(work)));
    };
    part("sines", Throughput::Elements(entries / 100), &|| {
        let mut angles = a.columns(0, 100).into_owned();
        sin(angles.as_mut_slice());
        black_box(angles);
    });
    part("first touch of the feature matrix, bytes", Throughput::Bytes(bytes), &|| {
        black_box(zeros(500, 10_000)).fill(1.0);
    });
    part("feature matrix, entries", Throughput::Elements(entries), &|| {
        black_box(feature_matrix(&data.x, &drawn, Activation::Sine));
    });
    part("descent, bytes of A", Throughput::Bytes(bytes), &|| {
        black_box(transpose_product(&a, &data.y));
    });
    part("Gram matrix of 500 columns, multiplications", Throughput::Elements(500 * 500 * 500), &|| {
        black_box(gram(&some));
    });
    part("ridge fit of 500 columns, rows", Throughput::Elements(500), &|| {
        black_box(ridge(&some, &data.y, 1e-4)).expect("a fit");
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = parts, fits
}
criterion_main!(benches);
