//! GFC, Table 1 for n = 100: errors of GFC and à la carte (five components), and the time that they take.

use crate::reproduce::gfc::{SETS, Way, figure};
use crate::reproduce::{Reproduction, Row};
use srfm_trainer::error::FitError;

const TABLE: &str = "gfc-table1";

pub fn rows(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let mut rows = Vec::new();
    for (done, set) in SETS.iter().enumerate() {
        let Some(data) = set.read(run) else {
            rows.push(set.skipped(TABLE));
            continue;
        };
        let greedy = figure(Way::Gfc, &data, run)?;
        let mixture = figure(Way::ALaCarte, &data, run)?;
        run.observer.progress(done + 1, SETS.len());
        let row =
            |what: &str, paper, ours| Row::new(TABLE, format!("{} {what}", set.name), paper, ours, "%", greedy.folds);
        rows.push(row("GFC", Some(set.gfc), greedy.error).at_most(Some(set.threshold)));
        rows.push(row("à la carte", Some(set.a_la_carte), mixture.error));
        let ratio = greedy.seconds / mixture.seconds;
        let time = Row::new(TABLE, format!("{} time, GFC / à la carte", set.name), None, ratio, "1", greedy.folds);
        rows.push(time.at_most(Some(1.0)));
    }
    Ok(rows)
}
