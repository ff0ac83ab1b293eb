//! GFC, Table 4 for n = 100: random Fourier features of three kernels, scale and ridge parameter cross-validated.

use crate::reproduce::gfc::{GAUSSIAN, SETS, Way, figure};
use crate::reproduce::{Reproduction, Row};
use srfm_trainer::error::FitError;
use srfm_trainer::sampling::SpectralLaw;

const TABLE: &str = "gfc-table4";

/// The laws of frequencies by the names of the paper's columns, which are those of the kernels: a Cauchy kernel has the Laplace
/// law and the other way round.
const COLUMNS: [(&str, Way); 3] = [
    ("Gauss", GAUSSIAN),
    ("Cauchy", Way::Fourier(SpectralLaw::Laplace { scale: 1.0 })),
    ("Laplace", Way::Fourier(SpectralLaw::Cauchy { scale: 1.0 })),
];

pub fn rows(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let mut rows = Vec::new();
    for (done, set) in SETS.iter().enumerate() {
        let Some(data) = set.read(run) else {
            rows.push(set.skipped(TABLE));
            continue;
        };
        for ((name, way), paper) in COLUMNS.iter().zip(set.fourier) {
            let figure = figure(*way, &data, run)?;
            rows.push(Row::new(TABLE, format!("{} {name}", set.name), Some(paper), figure.error, "%", figure.folds));
        }
        run.observer.progress(done + 1, SETS.len());
    }
    Ok(rows)
}
