//! The sets, and what is published of them.

use std::fs;
use std::path::{Path, PathBuf};

/// The published medians of R², and those of the sizes of models, which may be absent.
const MEDIANS: &str = "srbench_r2_test.csv";
const SIZES: &str = "srbench_model_size.csv";

/// A set, and the median R² and size of every published method.
pub struct Set {
    pub name: String,
    pub file: PathBuf,
    pub published: Vec<f64>,
    pub sizes: Vec<f64>,
}

/// Returns the names of the published methods and the sets whose file is there; nothing without published medians.
pub fn published(folder: &Path) -> Option<(Vec<String>, Vec<Set>)> {
    let folders = [folder.to_owned(), folder.join("pmlb")];
    let (folder, (methods, medians)) = folders.iter().find_map(|f| Some((f, figures(&f.join(MEDIANS))?)))?;
    let (of_sizes, sizes) = figures(&folder.join(SIZES)).unwrap_or_default();
    let set = |(name, published): (String, Vec<f64>)| {
        let file = folder.join(format!("{name}.tsv.gz"));
        let sizes = sizes.iter().find(|(other, _)| *other == name && of_sizes == methods);
        let sizes = sizes.map(|(_, sizes)| sizes.clone()).unwrap_or_default();
        file.exists().then_some(Set { name, file, published, sizes })
    };
    let sets = medians.into_iter().filter_map(set).collect();
    Some((methods, sets))
}

/// The figures of a set by method.
type Figures = (String, Vec<f64>);

/// Returns the methods of a file, and the figures of every set.
fn figures(path: &Path) -> Option<(Vec<String>, Vec<Figures>)> {
    let text = fs::read_to_string(path).ok()?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let methods = reader.headers().ok()?.iter().skip(1).map(str::to_owned).collect();
    let of_set = |record: csv::StringRecord| {
        let values = record.iter().skip(1).map(|field| field.parse().unwrap_or(f64::NEG_INFINITY)).collect();
        Some((record.get(0)?.to_owned(), values))
    };
    Some((methods, reader.records().filter_map(Result::ok).filter_map(of_set).collect()))
}
