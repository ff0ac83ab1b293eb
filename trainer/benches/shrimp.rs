//! CPU time of SHRIMP on the problem of `shrimp_numpy.py`.
//!
//! ```sh
//! cargo bench -p srfm-benches --bench shrimp; python3 trainer/benches/shrimp_numpy.py
//! ```
//!
//! On two cores of an AMD EPYC of the Zen 5 generation, in one run (medians over 11 seeds; the random numbers differ):
//!
//! | | CPU time |
//! |---|---|
//! | numpy 2.4 with OpenBLAS, one thread | 0.117 s |
//! | here, one thread | 0.040 s |
//! | here, two threads | 0.039 s |

mod measure;

use std::hint::black_box;

use cpu_time::ProcessTime;
use criterion::{Criterion, criterion_group, criterion_main};
use measure::{CpuTime, pool};
use nalgebra::DMatrix;
use srfm_trainer::Run;
use srfm_trainer::data::Dataset;
use srfm_trainer::method::{MethodConfig, Terms};
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
    Dataset::new(x, y).expect("finite rows")
}

fn method() -> MethodConfig {
    let shrimp =
        MethodConfig::named("shrimp").and_then(|shrimp| shrimp.with("candidates", 10_000)?.with("rounding", 0.0));
    shrimp.expect("settings of SHRIMP").tuned(|t| (t.features, t.terms) = (10_000, Terms::None))
}

/// Prints the figures of `shrimp_numpy.py`: seeds 0 to 10, once each.
fn summary() {
    for threads in [1, 2] {
        pool(threads).install(|| {
            let mut cpu: Vec<f64> = (0..11)
                .map(|seed| {
                    let (data, started) = (problem(seed), ProcessTime::now());
                    black_box(method().method().fit_expansion(&data, &Run::new(seed)).expect("a fit"));
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
            bencher.iter(|| pool.install(|| method().method().fit_expansion(&data, &Run::new(0))));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = fits
}
criterion_main!(benches);
