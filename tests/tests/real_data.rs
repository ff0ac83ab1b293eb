//! Fits of real data sets explain as much of the variance as they should.

use srfm_tests::real_data;
use srfm_trainer::Run;
use srfm_trainer::data::{Dataset, Splitter};
use srfm_trainer::export;
use srfm_trainer::sampling::Sampler;
use srfm_trainer::validate::Metrics;
use srfm_trainer::{FitConfig, Grid, fit};

/// The least R² of 100 features on a held-out quarter of the rows.
///
/// The unexplained share may be five percent larger than with seed 1 today, since another version of a library may
/// round differently.
const REAL: [(&str, f64); 3] = [("airfoil", 0.80), ("ccpp", 0.935), ("propulsion", 0.9999)];

#[test]
fn real_data_are_fitted() {
    for (name, least) in REAL {
        let Some(path) = real_data(&format!("{name}.csv")) else { continue };
        let data = Dataset::read(path).unwrap();
        let split = Splitter::Random.holdout(&data, 0.25, &mut Sampler::new(1)).unwrap();
        let (train, test) = (data.select(&split.train), data.select(&split.test));
        let config = FitConfig { grid: Grid::from([1e-7, 1e-3, 1e-1]), ..FitConfig::default() };
        let fitted = fit(&train, &config, &Run::new(1)).unwrap();
        assert!(fitted.agreement.largest <= 0.01 * fitted.model.scaling.y.scale[0], "{name}: {:?}", fitted.agreement);
        let r2 = Metrics::from_predictions(&export::predict(&fitted.blob, &test.x).cast(), &test.y).r2;
        assert!(r2 >= least, "{name}: {r2}");
    }
}
