//! Methods by their names: settings, models for the device, real data.

use srfm_trainer::Run;
use srfm_trainer::data::Task;
use srfm_trainer::data::{Dataset, Splitter};
use srfm_trainer::export;
use srfm_trainer::method::{METHODS, MethodConfig, MethodError, Terms};
use srfm_trainer::sampling::{Sampler, SpectralLaw};
use srfm_trainer::validate::Metrics;
use srfm_trainer::{FitConfig, Grid, fit};

#[test]
fn every_method_has_a_name_and_settings_in_their_ranges() {
    for row in METHODS.iter() {
        let name = row.name;
        let method = MethodConfig::named(name).unwrap();
        assert_eq!((row.name, method.name()), (name, name));
        assert_eq!(method.method().check(), Ok(()), "{name}");
        let text = serde_json::to_string(&method).unwrap();
        assert!(text.starts_with(&format!("{{\"{name}\":{{")), "{text}");
        // Settings files give the method's own defaults, also where two methods share their settings.
        assert_eq!(toml::from_str::<MethodConfig>(&format!("[{name}]")).unwrap(), method);
        let changed = method.clone().tuned(|t| (t.terms, t.features) = (Terms::None, 7));
        let binary = postcard::to_stdvec(&changed).unwrap();
        assert_eq!(postcard::from_bytes::<MethodConfig>(&binary).unwrap(), changed);
        assert_ne!(changed, method);
    }
}

#[test]
fn settings_survive_a_checkpoint_to_the_last_digit() {
    let mut sampler = Sampler::new(3);
    for _ in 0..1000 {
        let lambda = (30.0 * sampler.normal()).exp();
        let method = MethodConfig::named("compact").unwrap().with("lambda", lambda).unwrap();
        let binary = postcard::to_stdvec(&method).unwrap();
        let read: MethodConfig = postcard::from_bytes(&binary).unwrap();
        assert_eq!(read.setting::<f64>("lambda").map(f64::to_bits), Some(lambda.to_bits()));
    }
}

#[test]
fn settings_are_checked_by_name() {
    let harfe = || MethodConfig::named("harfe").unwrap();
    let changed = harfe().with("column_norm", "raw").unwrap().with("order", 3).unwrap();
    assert_eq!((changed.setting("order"), changed.setting("column_norm")), (Some(3), Some("raw".to_owned())));
    assert_eq!((changed.setting::<usize>("orders"), changed.setting::<bool>("order")), (None, None));
    let unknown = harfe().with("orders", 3).unwrap_err();
    assert!(matches!(&unknown, MethodError::UnknownSetting { method: "harfe", setting, .. } if setting == "orders"));
    assert!(unknown.to_string().contains("candidates, column_norm, features"), "{unknown}");
    let invalid = harfe().with("column_norm", "square").unwrap_err();
    assert!(
        matches!(invalid, MethodError::InvalidSetting { .. }) && invalid.to_string().contains("`raw`"),
        "{invalid}"
    );
    let range = harfe().with("step", -1.0).unwrap_err();
    assert_eq!(range, MethodError::Setting { setting: "step", range: "more than 0", value: -1.0 });
    let name = MethodConfig::named("hare").unwrap_err();
    assert!(name.to_string().contains("`hare`") && name.to_string().contains("compact, fourier, min-norm"), "{name}");
    for text in ["[harfe]\nfeature = 3", "[hare]", "[harfe]\n[srfe]", "", "[harfe]\nfeatures = 1.5"] {
        assert!(toml::from_str::<MethodConfig>(text).is_err(), "{text}");
    }
}

/// Most that 100 features may leave on a quarter of 6000 rows, in percent of the target's range: the thresholds of
/// the paper's table, or a fifth above its figure.
const REAL: [(&str, usize, f64); 3] = [("kinematics", 8, 6.2), ("elevators", 18, 3.6), ("pumadyn32h", 4, 4.1)];

#[test]
fn greedy_construction_fits_real_data() {
    for (name, order, most) in REAL {
        let Some(path) = srfm_tests::real_data(&format!("{name}.csv")) else { continue };
        let data = Dataset::read(path).unwrap();
        let data = data.select(&Sampler::new(3).choose(data.rows(), 6000));
        let range = data.y.max() - data.y.min();
        let split = Splitter::Random.holdout(&data, 0.25, &mut Sampler::new(1)).unwrap();
        let (train, test) = (data.select(&split.train), data.select(&split.test));
        let gfc = MethodConfig::named("gfc").unwrap().with("order", order).unwrap().with("lambda", 1e-4).unwrap();
        let method = gfc.tuned(|t| t.terms = Terms::Intercept);
        let config = FitConfig { method, grid: Grid::from([]), ..FitConfig::default() };
        let blob = fit(&train, &config, &Run::new(1)).unwrap().blob;
        let rmse = Metrics::from_predictions(&export::predict(&blob, &test.x).cast(), &test.y).rmse;
        assert!(100.0 * rmse / range <= most, "{name}: {}", 100.0 * rmse / range);
    }
}
#[test]
fn inputs_without_a_scale_stay_off_the_board() {
    let data = Task::Se2.generate(600, 0.1, 3);
    let method = MethodConfig::named("srff").unwrap().tuned(|t| (t.features, t.order) = (60, Some(6)));
    let config = FitConfig { method, grid: Grid::from([0.3]), ..FitConfig::default() };
    let fitted = fit(&data, &config, &Run::new(1)).unwrap();
    let used: Vec<bool> = fitted.model.importance.iter().map(|importance| importance.share > 0.0).collect();
    let count = used.iter().filter(|&&used| used).count();
    assert!(count <= 6 && fitted.model.importance.iter().zip(&used).all(|(i, &used)| used == (i.occurrences > 0)));
    // Readings of the others may be anything.
    let mut other = data.x.clone();
    for (mut column, _) in other.column_iter_mut().zip(&used).filter(|(_, used)| !**used) {
        column.fill(1e6);
    }
    assert_eq!(export::predict(&fitted.blob, &other), export::predict(&fitted.blob, &data.x));
    // A phase, the weights and an amplitude for each feature, four bytes each, and two bytes for each input looked at.
    assert!(fitted.blob.bytes().len() < 60 * (4 * (2 + count) + 2 * count) + 400);
}

#[test]
fn a_settings_file_names_the_solver() {
    let text =
        "[grid]\nlambdas = [0.3]\n[method.srff]\nsolver = \"alternating\"\nlaw = { law = \"cauchy\", scale = 0.5 }\n";
    let config: FitConfig = toml::from_str(text).unwrap();
    let srff = MethodConfig::named("srff").unwrap().with("solver", "alternating").unwrap();
    assert_eq!(config.method, srff.with("law", SpectralLaw::Cauchy { scale: 0.5 }).unwrap());
    assert!(toml::from_str::<FitConfig>("[method.srff]\nsolver = \"newton\"\n").is_err());
}

#[test]
fn the_device_has_the_model() {
    for task in [Task::Friedman1, Task::Friedman2] {
        let data = task.generate(200, task.usual_noise(), 3);
        let mut method = MethodConfig::named("compact").unwrap().with("sparsify", 0.05).unwrap();
        for (setting, value) in [("features", 6), ("candidates", 100), ("rounds", 2), ("refine", 20)] {
            method = method.with(setting, value).unwrap();
        }
        let config = FitConfig { method, grid: Grid::from([1e-3, 1e-1]), ..FitConfig::default() };
        let fit = fit(&data, &config, &Run::new(1)).unwrap();
        assert!(fit.blob.model().features() <= 6);
        assert!(fit.agreement.largest < 1e-3 * fit.model.scaling.y.scale[0]);
    }
}
