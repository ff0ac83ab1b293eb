//! The parser of model files and every evaluation behind it.

use srfm_runtime::{Error, History, Model};
use srfm_testing::{AWKWARD, Blob, CHECKSUM, PREAMBLE, exercise};

/// Parses any bytes: parsing never panics, and an accepted model can be used.
pub fn parse(bytes: &[u8]) {
    if let Ok(model) = Model::parse(&Blob::new(bytes)) {
        use_all(&model);
    }
}

/// Parses any bytes between a correct preamble and a correct checksum, which no fuzzer would guess.
pub fn parse_fixed_crc(bytes: &[u8]) {
    if let Ok(model) = Model::parse(&mended(bytes)) {
        use_all(&model);
    }
}

/// Returns bytes with the magic, version, length and checksum of a model.
pub fn mended(bytes: &[u8]) -> Blob {
    let mut blob = Blob::new(bytes);
    blob.resize(bytes.len().max(PREAMBLE + CHECKSUM));
    blob.mend();
    blob
}

fn use_all(model: &Model<'_>) {
    exercise(model);
    let mut history = History::<256, 256>::new();
    let (mut sample, mut y) = (vec![0.0; model.channels()], vec![0.0; model.outputs()]);
    let samples = model.samples();
    let depth = usize::from(samples.depth());
    for number in 1..=(depth + 4).min(24) {
        sample.iter_mut().zip(AWKWARD.iter().cycle().skip(number)).for_each(|(x, &awkward)| *x = awkward);
        let taken = history.predict(model, &sample, &mut y);
        let fits = samples.slots() <= 256 && model.inputs() <= 256;
        let is_ready = samples.predictions(number) > samples.predictions(number - 1);
        assert_eq!(taken, if fits { Ok(is_ready) } else { Err(Error::TooLarge) }, "sample {number} of {depth}");
    }
}
