//! ARFF, Table 1: misclassified MNIST digits, in percent of the 10,000 test digits.
//!
//! All 60,000 digits are fitted: pixels divided by 255, ten targets, the largest output decides. Settings are the
//! paper's: δ = 0.1, γ = 3d − 2, λ = 0.1 in the walk, no refits. The modulus judges its sums of complex amplitudes. The
//! steps fit 3000 rows, and λ is 10⁻³ in the last fit.

use std::path::Path;

use crate::arff::cases::imaginary;
use crate::settings::{named, with};
use crate::table::{Reproduction, Row, mean};
use srfm_cli::report::ClassMetrics;
use srfm_trainer::FitError;
use srfm_trainer::Run;
use srfm_trainer::data::{Dataset, Source, Table, TargetKind};
use srfm_trainer::method::Terms;

/// The frequencies of a line.
#[derive(Clone, Copy)]
enum Way {
    Fixed,
    Walk,
    ComplexWalk,
}

/// One row of the table.
struct Case {
    features: usize,
    way: Way,
    paper: f64,
    threshold: Option<f64>,
}

#[rustfmt::skip]
const CASES: [Case; 12] = [
    Case { features: 16, way: Way::Walk, paper: 36.42, threshold: Some(38.0) },
    Case { features: 64, way: Way::Walk, paper: 16.98, threshold: Some(15.0) },
    Case { features: 256, way: Way::Walk, paper: 7.99, threshold: Some(7.5) },
    Case { features: 1024, way: Way::Walk, paper: 4.57, threshold: Some(4.6) },
    Case { features: 2048, way: Way::Walk, paper: 3.50, threshold: None },
    Case { features: 16, way: Way::ComplexWalk, paper: 36.42, threshold: None },
    Case { features: 64, way: Way::ComplexWalk, paper: 16.98, threshold: None },
    Case { features: 256, way: Way::ComplexWalk, paper: 7.99, threshold: None },
    Case { features: 16, way: Way::Fixed, paper: 46.77, threshold: None },
    Case { features: 64, way: Way::Fixed, paper: 19.73, threshold: None },
    Case { features: 256, way: Way::Fixed, paper: 10.12, threshold: None },
    Case { features: 1024, way: Way::Fixed, paper: 6.29, threshold: None },
];

pub fn rows(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let folder = run.data.unwrap_or(Path::new(".")).join("mnist");
    let (Some(train), Some(test)) = (digits(&folder, "train"), digits(&folder, "t10k")) else {
        return Ok(vec![Row::skipped("MNIST", CASES[0].paper)]);
    };
    // One after the other: a fit uses all threads, and several fits at a time need too much memory.
    let mut rows = Vec::new();
    let seeds = run.seeds();
    for (done, case) in CASES.iter().enumerate() {
        let error = |seed| case.error(&train, &test, &run.seeded(seed));
        let errors: Vec<f64> = (0..seeds as u64).map(error).collect::<Result<_, _>>()?;
        run.observer.progress(done + 1, CASES.len());
        let way = match case.way {
            Way::Fixed => "N(0, 0.1²)",
            Way::Walk => "adaptive",
            Way::ComplexWalk => "adaptive, complex",
        };
        let name = format!("K = {}, {way}", case.features);
        rows.push(Row::new(name, Some(case.paper), mean(&errors), "%", seeds).at_most(case.threshold));
    }
    Ok(rows)
}

impl Case {
    /// Returns the share of misclassified test digits, in percent.
    fn error(&self, train: &Dataset, test: &Dataset, run: &Run<'_>) -> Result<f64, FitError> {
        let pixels = train.inputs();
        let arff = with!(
            named("arff"),
            features: self.features,
            order: pixels,
            steps: 100,
            batch: 3000,
            step_length: 0.1,
            exponent: 3.0 * pixels as f64 - 2.0,
            refit: 0,
            terms: Terms::None,
        );
        let arff = match self.way {
            Way::Fixed => with!(arff, steps: 0, start: 0.1),
            Way::Walk => arff,
            Way::ComplexWalk => with!(arff, basis: "complex"),
        };
        let expansion = arff.method().fit_expansion(train, &run.quiet())?;
        let mut scores = expansion.predict(&test.x);
        if matches!(self.way, Way::ComplexWalk) {
            let imaginary = imaginary(&expansion).predict(&test.x);
            scores.zip_apply(&imaginary, |re, im| *re = libm::hypot(*re, im));
        }
        Ok(100.0 * ClassMetrics::of(&scores, &test.y, &test.classes, &[]).error_rate)
    }
}

/// Reads the digits of a part: pixels from 0 to 1, one target for each digit. Returns `None` if a file is missing.
fn digits(folder: &Path, part: &str) -> Option<Dataset> {
    let table = |kind: &str| Table::read(folder.join(format!("{part}-{kind}-ubyte.gz"))).ok();
    let source = Source::new(table("images-idx3")?, Some(table("labels-idx1")?), &[]);
    let mut data = source.dataset(TargetKind::Classes).ok()?;
    data.x /= 255.0;
    Some(data)
}
