//! CPU time of HARFE on the problem of `harfe_numpy.py`.
//!
//! ```sh
//! cargo bench -p srfm-benches --bench harfe; python3 trainer/benches/harfe_numpy.py
//! ```
//!
//! On two cores of an AMD EPYC of the Zen 5 generation, in one run (medians over 11 seeds; the random numbers differ):
//!
//! | | iterations, mean | CPU time |
//! |---|---|---|
//! | numpy 2.4 with OpenBLAS, one thread | 16 | 0.28 s |
//! | here, one thread | 20 | 0.085 s |
//! | here, two threads | 20 | 0.09 s |

mod measure;

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use cpu_time::ProcessTime;
use criterion::{Criterion, criterion_group, criterion_main};
use measure::{CpuTime, pool};
use nalgebra::DMatrix;
use srfm_trainer::data::Dataset;
use srfm_trainer::method::{MethodConfig, Terms};
use srfm_trainer::sampling::Sampler;
use srfm_trainer::{Observer, Run};

fn problem(seed: u64) -> Dataset {
    let mut sampler = Sampler::new(seed);
    let x = DMatrix::from_fn(500, 5, |_, _| sampler.uniform(-1.0, 1.0));
    let y = DMatrix::from_fn(500, 1, |i, _| 1.0 / (1.0 + x.row(i).norm_squared()).sqrt());
    Dataset::new(x, y).expect("finite rows")
}

fn method() -> MethodConfig {
    let harfe = MethodConfig::named("harfe").and_then(|harfe| harfe.with("candidates", 10_000));
    harfe.expect("a setting of HARFE").tuned(|t| {
        (t.features, t.order, t.lambda, t.terms) = (500, Some(3), Some(1e-4), Terms::None);
    })
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

/// Prints the figures of `harfe_numpy.py`: seeds 0 to 10, once each.
fn summary() {
    for threads in [1, 2] {
        pool(threads).install(|| {
            let (mut iterations, mut cpu, mut wall) = (Vec::new(), Vec::new(), Vec::new());
            for seed in 0..11 {
                let (data, counter) = (problem(seed), Counter::default());
                let started = (ProcessTime::now(), Instant::now());
                black_box(
                    method().method().fit_expansion(&data, &Run::new(seed).with_observer(&counter)).expect("a fit"),
                );
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
