//! The handwritten digits of MNIST, from their files to predicted classes.

use srfm_tests::real_data;
use srfm_trainer::Run;
use srfm_trainer::data::{Source, Table, TargetKind, decide};
use srfm_trainer::export;
use srfm_trainer::method::{MethodConfig, Terms};
use srfm_trainer::scaling::{InputScaling, Preprocessing};
use srfm_trainer::{FitConfig, Grid, fit};

#[test]
fn digits_are_read_and_classified() {
    let files = ["mnist/t10k-images-idx3-ubyte.gz", "mnist/t10k-labels-idx1-ubyte.gz"].map(real_data);
    let [Some(images), Some(labels)] = files else { return };
    let source = Source::new(Table::read(images).unwrap(), Some(Table::read(labels).unwrap()), &[]);
    assert!(source.shares_unit());
    let data = source.dataset(TargetKind::Classes).unwrap();
    assert_eq!((data.rows(), data.inputs(), data.outputs()), (10_000, 784, 10));
    assert_eq!(data.classes.join(""), "0123456789");
    assert_eq!((data.x.min(), data.x.max()), (0.0, 255.0));
    assert_eq!(decide(&data.y)[..5], [7, 2, 1, 0, 4].map(Some));
    // The number of images of each digit, from the description of the data set.
    let counts: Vec<f64> = data.y.row_sum().iter().copied().collect();
    assert_eq!(counts, [980.0, 1135.0, 1032.0, 1010.0, 982.0, 892.0, 958.0, 1028.0, 974.0, 1009.0]);

    let (train, test) = (data.select(&(0..3000).collect::<Vec<_>>()), data.select(&(3000..6000).collect::<Vec<_>>()));
    let accuracy = |scaling| {
        let tuned = MethodConfig::named("fourier").unwrap().tuned(|t| {
            (t.features, t.order, t.scale, t.terms) = (300, Some(6), Some(0.4), Terms::Intercept);
        });
        let preprocessing = Preprocessing { scaling, ..Preprocessing::default() };
        let config = FitConfig { method: tuned, grid: Grid::from([10.0]), preprocessing, ..FitConfig::default() };
        let blob = fit(&train, &config, &Run::new(1)).unwrap().blob;
        assert_eq!(blob.model().classes().collect::<String>(), "0123456789");
        let decisions = decide(&export::predict(&blob, &test.x).cast());
        let right = decisions.iter().zip(decide(&test.y)).filter(|(found, class)| *found == class).count();
        right as f64 / test.rows() as f64
    };
    let (common, standard) = (accuracy(Some(InputScaling::Common)), accuracy(Some(InputScaling::Standard)));
    println!("accuracy {common} with a common scale, {standard} with a scale for each pixel");
    assert!(common > 0.85 && common > standard, "{common}, {standard}");
}
