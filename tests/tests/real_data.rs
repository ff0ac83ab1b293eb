//! Real data are fitted: thresholds with their seeds.

use std::path::PathBuf;

use srfm_trainer::data::{Table, split};
use srfm_trainer::export;
use srfm_trainer::fit::{FitConfig, Grid, fit};
use srfm_trainer::run::Run;
use srfm_trainer::sampling::Sampler;
use srfm_trainer::validate::metrics::Metrics;

/// Least share of the variance that 100 features explain on a quarter of the rows that was kept apart. Five percent of
/// the unexplained share above what seed 1 gives, since another library version may round otherwise.
const REAL: [(&str, f64); 3] = [("airfoil", 0.80), ("ccpp", 0.935), ("propulsion", 0.9999)];

#[test]
fn real_data_are_fitted() {
    let Some(folder) = std::env::var_os("SRFM_DATA").map(PathBuf::from) else {
        eprintln!("SKIPPED: set SRFM_DATA to the folder with airfoil.csv, ccpp.csv and propulsion.csv");
        return;
    };
    for (name, least) in REAL {
        let path = folder.join(name).with_extension("csv");
        if !path.exists() {
            eprintln!("SKIPPED: there is no {}", path.display());
            continue;
        }
        let data = Table::read(&path).unwrap().into_dataset(&[]).unwrap();
        let split = split::holdout(data.rows(), 0.25, &mut Sampler::new(1));
        let (train, test) = (data.select(&split.train), data.select(&split.test));
        let config = FitConfig { grid: Grid::of_lambdas([1e-7, 1e-3, 1e-1]), ..FitConfig::default() };
        let model = fit(&train, &config, &Run::new(1)).unwrap().model;
        let blob = export::export(&model).unwrap();
        export::verify(&blob, &model, &train, export::LARGEST_SHARE).unwrap();
        let r2 = Metrics::of(&export::predict(&blob, &test.x).cast(), &test.y).r2;
        assert!(r2 >= least, "{name}: {r2}");
    }
}
