//! Helpers of the workspace's tests and the fuzz targets: model files in memory, models to be written, a seeded
//! generator.

mod blob;
mod flash;
mod integers;
mod model;
mod rng;
mod shapes;
mod skip;
mod trees;
mod windows;

pub use blob::{Blob, CHECKSUM, PREAMBLE, crc32};
pub use flash::{Flash, PAGE};
pub use integers::{IntegerBlock, OwnedIntegers};
pub use model::{OwnedBlock, OwnedModel, Shape};
pub use rng::Rng;
pub use skip::{real_data, report_skipped, skip, thorough};
pub use trees::{OwnedBranch, OwnedNode, OwnedTrees};
pub use windows::{OwnedWindows, band};

use std::path::Path;
use std::process::Command;

use srfm_runtime::format::Number;
use srfm_runtime::{Error, MISSING, Model};

/// Readings that are hard on arithmetic.
pub const AWKWARD: [f32; 12] = [
    0.0,
    -0.0,
    1.0,
    -0.5,
    4_194_304.5, // just beyond the range of the cosine
    1e-40,       // subnormal
    f32::MIN_POSITIVE,
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

/// Uses everything that an accepted model offers: nothing may panic, and every prediction must succeed.
pub fn exercise(model: &Model<'_>) {
    let mut x = vec![0.0; model.inputs()];
    let mut y = vec![0.0; model.outputs()];
    for (shift, awkward) in AWKWARD.into_iter().enumerate() {
        x.fill(awkward);
        assert_eq!(model.predict(&x, &mut y), Ok(()));
        x.iter_mut().zip(AWKWARD.iter().cycle().skip(shift)).for_each(|(x, &mixed)| *x = mixed);
        assert_eq!(model.predict(&x, &mut y), Ok(()));
    }
    let view = if model.prepared().is_empty() { model.inputs() } else { model.prepared().len() };
    let (mut z, mut integers) = (vec![0; view], vec![0; model.outputs()]);
    if model.header().number == Number::F32 {
        assert_eq!(model.predict_integers(&z, &mut integers), Err(Error::NotIntegers));
    } else {
        assert_eq!(model.prepare(&x, &mut z), Ok(()));
        for extreme in [-i16::MAX, -1, 0, i16::MAX] {
            z.fill(extreme);
            assert_eq!(model.predict_integers(&z, &mut integers), Ok(()));
        }
        if model.classes().count() > 0 {
            let mut probabilities = vec![0; model.classes().count()];
            for extreme in [i32::MIN, 0, i32::MAX] {
                integers.fill(extreme);
                assert_eq!(model.probabilities_of_integers(&integers, &mut probabilities), Ok(()));
                let sum: u32 = probabilities.iter().copied().map(u32::from).sum();
                assert!(sum.abs_diff(1 << 16) <= probabilities.len() as u32, "{probabilities:?}");
            }
        }
        z.fill(MISSING);
        assert!(matches!(model.predict_integers(&z, &mut integers), Ok(()) | Err(Error::MissingReading)));
    }
    let features: usize = model.blocks().map(|block| block.indices.iter().count() / usize::from(block.order)).sum();
    assert_eq!(model.features(), features);
    // Each input is counted in a pass over the model, which is slow where both are large.
    if model.inputs() <= 256 {
        let nodes: usize = (0..model.inputs()).map(|input| model.occurrences(input)).sum();
        assert!(model.trees().map_or(0, |trees| trees.nodes().count()) <= nodes, "every node looks at a reading");
    }
    assert!(model.rules() <= model.trees().map_or(0, |trees| 2 * trees.nodes().count()));
    assert_eq!(model.linear().weights.len(), usize::from(model.header().linear) * model.outputs());
    assert!(!model.uses_input(model.inputs()), "an index points behind the readings");
    assert!([0, model.inputs()].contains(&model.importance().len()));
    assert!([0, if model.outputs() == 1 { 2 } else { model.outputs() }].contains(&model.classes().count()));
}

/// Returns the one of `targets` whose standard library is not installed, if any.
pub fn missing_target<'a>(targets: &[&'a str]) -> Option<&'a str> {
    let installed = |target: &&str| {
        let output = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
        output.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
    };
    targets.iter().copied().find(|target| !installed(target))
}
