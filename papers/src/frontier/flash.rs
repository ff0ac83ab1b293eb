//! The frontier by flash: the cross-validated error of the best model of every data set within 512 bytes, 2 KB and 8
//! KB.

use std::time::Duration;

use crate::table::{Reproduction, Row};
use srfm_trainer::FitError;
use srfm_trainer::cost::Budget;
use srfm_trainer::data::{Dataset, Source, Table, TargetKind};
use srfm_trainer::export::NumberFormat;
use srfm_trainer::scaling::{InputScaling, Preprocessing};
use srfm_trainer::search::{SearchConfig, search};
use srfm_trainer::{Conditions, Grid};

/// Budgets in bytes, ascending, and the seconds of a search. Larger models take longer, and a search begins with
/// smaller budgets.
const BUDGETS: [(usize, u64); 3] = [(512, 15), (2048, 45), (8192, 135)];

/// The ratio by which the error of a larger budget may exceed the error of a smaller one by chance.
const TOLERANCE: f64 = 1.01;

const SETS: [&str; 17] = [
    "airfoil",
    "breiman",
    "ccpp",
    "delta_ailerons",
    "elevators",
    "forestfire",
    "friedman",
    "housing",
    "kinematics",
    "mnist",
    "parkinsons_tm",
    "pole_telecom",
    "propulsion",
    "pumadyn32h",
    "telemonitor",
    "truck",
    "ujindoorloc_latitude",
];

pub fn rows(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let mut rows = Vec::new();
    for (place, name) in SETS.into_iter().enumerate() {
        run.observer.progress(place, SETS.len());
        let Some((data, scaling)) = read(run, name) else {
            rows.push(Row::without_data(name));
            continue;
        };
        let mut before = None;
        for (flash, seconds) in BUDGETS {
            let config = SearchConfig {
                fit: Conditions {
                    grid: Grid::from([]),
                    preprocessing: Preprocessing { scaling, ..Preprocessing::default() },
                    ..Conditions::default()
                },
                numbers: vec![NumberFormat::F32, NumberFormat::Int16],
                budget: Budget { flash: Some(flash), ..Budget::default() },
                features: 1000,
                inputs: None,
                terms: None,
                robust: true,
                one_standard_error: false,
                smooth: false,
                effort: None,
                time: Duration::from_secs(seconds),
            };
            let row = |what: &str, ours, unit| Row::new(format!("{name}, {flash} bytes, {what}"), None, ours, unit, 1);
            let found = match search(&data, &config, &run.seeded(1).quiet()) {
                Ok(found) => found,
                Err(FitError::Interrupted) => return Err(FitError::Interrupted),
                Err(_) => {
                    let none = row("flash", f64::NAN, "bytes").at_most(Some(flash as f64));
                    rows.push(none.note(Some("no model was found")));
                    continue;
                }
            };
            let error = found.chosen.score.standardised_mse.sqrt();
            let bytes = found.fit.blob.bytes().len() as f64;
            rows.push(row("flash", bytes, "bytes").at_most(Some(flash as f64)));
            rows.push(row("RMSE", error, "1").at_most(before.map(|before: f64| TOLERANCE * before)));
            before = Some(error);
        }
    }
    Ok(rows)
}

/// Reads a data set and the scaling of its inputs.
fn read(run: &Reproduction<'_>, name: &str) -> Option<(Dataset, Option<InputScaling>)> {
    let file = |name: &str| Table::read(run.data?.join(name)).ok();
    let seven: Vec<String> = (0..7).map(|target| format!("y{target}")).collect();
    match name {
        "mnist" => {
            let images = file("mnist/train-images-idx3-ubyte.gz")?;
            let source = Source::new(images, file("mnist/train-labels-idx1-ubyte.gz"), &[]);
            Some((source.dataset(TargetKind::Classes).ok()?, Some(InputScaling::Common)))
        }
        "truck" => {
            Some((Source::new(file("truck_train.csv")?, None, &seven).dataset(TargetKind::Quantities).ok()?, None))
        }
        _ => Some((run.whole(name)?, None)),
    }
}
