//! GFC, Table 4 for n = 100: random Fourier features of three kernels; scale and ridge parameter are cross-validated.

use crate::gfc::experiment::{GAUSSIAN, Laws, SETS, figure, fourier};
use crate::table::{Reproduction, Row};
use srfm_trainer::FitError;
use srfm_trainer::sampling::SpectralLaw;

/// The paper's columns, named after kernels, and the distributions of their frequencies: a Cauchy kernel has Laplace
/// frequencies, and a Laplace kernel has Cauchy frequencies.
const COLUMNS: [(&str, Laws); 3] = [
    ("Gauss", GAUSSIAN),
    ("Cauchy", |scale| SpectralLaw::Laplace { scale }),
    ("Laplace", |scale| SpectralLaw::Cauchy { scale }),
];

pub fn rows(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let mut rows = Vec::new();
    for (done, set) in SETS.iter().enumerate() {
        let Some(data) = set.read(run) else {
            rows.push(set.skipped());
            continue;
        };
        for ((name, law), paper) in COLUMNS.iter().zip(set.fourier) {
            let figure = figure(|train, run| fourier(*law, train, run), &data, run)?;
            rows.push(Row::new(format!("{} {name}", set.name), Some(paper), figure.error, "%", figure.folds));
        }
        run.observer.progress(done + 1, SETS.len());
    }
    Ok(rows)
}
