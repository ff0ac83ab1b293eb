//! GFC, Table 1 for n = 100: errors and times of GFC and à la carte (five components).

use crate::gfc::experiment::{SETS, a_la_carte, figure, greedy};
use crate::table::{Reproduction, Row};
use srfm_trainer::FitError;

pub fn rows(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let mut rows = Vec::new();
    for (done, set) in SETS.iter().enumerate() {
        let Some(data) = set.read(run) else {
            rows.push(set.skipped());
            continue;
        };
        let gfc = figure(greedy, &data, run)?;
        let mixture = figure(a_la_carte, &data, run)?;
        run.observer.progress(done + 1, SETS.len());
        let row = |what: &str, paper, ours| Row::new(format!("{} {what}", set.name), paper, ours, "%", gfc.folds);
        rows.push(row("GFC", Some(set.gfc), gfc.error).at_most(Some(set.threshold)));
        rows.push(row("à la carte", Some(set.a_la_carte), mixture.error));
        let ratio = gfc.seconds / mixture.seconds;
        let time = Row::new(format!("{} time, GFC / à la carte", set.name), None, ratio, "1", gfc.folds);
        rows.push(time.at_most(Some(1.0)));
    }
    Ok(rows)
}
