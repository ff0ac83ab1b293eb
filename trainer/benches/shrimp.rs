//! CPU time of SHRIMP on the problem of `shrimp_numpy.py`.
//!
//! ```sh
//! cargo bench -p srfm-trainer --bench shrimp; python3 trainer/benches/shrimp_numpy.py
//! ```
//!
//! On two cores of an AMD EPYC of the Zen 5 generation, in one run (medians over 11 seeds; the random numbers differ):
//!
//! | | CPU time |
//! |---|---|
//! | numpy 2.4 with OpenBLAS, one thread | 0.117 s |
//! | here, one thread | 0.040 s |
//! | here, two threads | 0.039 s |
//!
//! The parts below add up to what a fit cannot do without: the feature matrix (7 ms), the Gram matrix of the rows and, spread
//! over the steps, its downdates (12 ms together, half of it by symmetry), a product with the columns that are left (5 ms over
//! all steps). Factorisations are small change: Cholesky of 126 rows where the Gram matrix allows it.

mod measure;

use std::hint::black_box;

use cpu_time::ProcessTime;
use criterion::{Criterion, criterion_group, criterion_main};
use measure::{CpuTime, pool};
use nalgebra::DMatrix;
use srfm_trainer::data::Dataset;
use srfm_trainer::features::{Activation, Feature, feature_matrix};
use srfm_trainer::linalg::{outer_gram, symmetric_eigen, transpose_product};
use srfm_trainer::method::{Method, Shrimp, Terms};
use srfm_trainer::run::Run;
use srfm_trainer::sampling::Sampler;

/// f₇ of the paper's Table 2.
fn problem(seed: u64) -> Dataset {
    let mut sampler = Sampler::new(seed);
    let x = DMatrix::from_fn(140, 10, |_, _| sampler.uniform(-1.0, 1.0));
    let value = |i: usize| {
        let x = x.row(i);
        x[0].cos() * x[2] + x[1] * x[1] * x[3] + x.columns(2, 8).sum()
    };
    let y = DMatrix::from_fn(140, 1, |i, _| value(i));
    let input_names = (1..=10).map(|i| format!("x{i}")).collect();
    Dataset { x, y, input_names, output_names: vec!["y".to_owned()], classes: Vec::new() }
}

fn method() -> Shrimp {
    Shrimp { features: 10_000, candidates: 10_000, rounding: 0.0, terms: Terms::None, ..Shrimp::default() }
}

/// What `shrimp_numpy.py` prints: seeds 0 to 10, once each.
fn summary() {
    for threads in [1, 2] {
        pool(threads).install(|| {
            let mut cpu: Vec<f64> = (0..11)
                .map(|seed| {
                    let (data, started) = (problem(seed), ProcessTime::now());
                    black_box(method().fit(&data, &Run::new(seed)).expect("a fit"));
                    started.elapsed().as_secs_f64()
                })
                .collect();
            cpu.sort_unstable_by(f64::total_cmp);
            println!("{threads} thread(s): median CPU {:.3} s", cpu[5]);
        });
    }
}

fn fits(criterion: &mut Criterion<CpuTime>) {
    summary();
    let data = problem(0);
    let mut group = criterion.benchmark_group("shrimp CPU time");
    group.sample_size(10);
    for threads in [1, 2] {
        let pool = pool(threads);
        group.bench_function(format!("{threads} threads"), |bencher| {
            bencher.iter(|| pool.install(|| method().fit(&data, &Run::new(0))));
        });
    }
    group.finish();
}

/// The parts of a fit on one thread.
fn parts(criterion: &mut Criterion<CpuTime>) {
    let (data, one) = (problem(0), pool(1));
    let mut sampler = Sampler::new(1);
    let mut pair = || Feature::pair(vec![2, 7], vec![sampler.normal(), sampler.normal()]);
    let features: Vec<Feature> = (0..10_000).flat_map(|_| pair()).collect();
    let a = feature_matrix(&data.x, &features, Activation::Sine);
    let gram = outer_gram(&a);

    let mut group = criterion.benchmark_group("part");
    let mut part = |name: &str, work: &(dyn Fn() + Sync)| {
        group.bench_function(name, |bencher| bencher.iter(|| one.install(work)));
    };
    part("feature matrix, 140 x 20,000", &|| {
        black_box(feature_matrix(&data.x, &features, Activation::Sine));
    });
    part("Gram matrix of the rows", &|| {
        black_box(outer_gram(&a));
    });
    part("eigenvectors of the Gram matrix", &|| {
        black_box(symmetric_eigen(&gram));
    });
    part("coefficients of all columns", &|| {
        black_box(transpose_product(&a, &data.y));
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = parts, fits
}
criterion_main!(benches);
