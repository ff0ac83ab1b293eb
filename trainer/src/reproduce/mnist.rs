//! The MNIST digits (Y. LeCun, C. Cortes and C. Burges, *The MNIST database*) as a data set with a target a digit.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use nalgebra::DMatrix;

use crate::data::Dataset;

/// Classes.
const DIGITS: usize = 10;

/// Rows to fit (60,000) and to test on (10,000): pixels from 0 to 1, targets 1 for the digit and 0 for the others. None where
/// a file is not there or is not what it should be.
pub fn digits(folder: &Path) -> Option<(Dataset, Dataset)> {
    let part = |part: &str| {
        let images = idx(&folder.join(format!("{part}-images-idx3-ubyte.gz")))?;
        let labels = idx(&folder.join(format!("{part}-labels-idx1-ubyte.gz")))?;
        let ([rows, height, width], [labelled]) =
            (images.sizes[..].try_into().ok()?, labels.sizes[..].try_into().ok()?);
        let pixels: usize = height * width;
        (rows == labelled && labels.elements.iter().all(|&label| usize::from(label) < DIGITS)).then(|| Dataset {
            x: DMatrix::from_fn(rows, pixels, |row, pixel| f64::from(images.elements[row * pixels + pixel]) / 255.0),
            y: DMatrix::from_fn(rows, DIGITS, |row, digit| f64::from(usize::from(labels.elements[row]) == digit)),
            input_names: (0..pixels).map(|pixel| format!("pixel {pixel}")).collect(),
            output_names: (0..DIGITS).map(|digit| digit.to_string()).collect(),
            classes: Vec::new(),
        })
    };
    Some((part("train")?, part("t10k")?))
}

/// An array of bytes, the last index fastest.
struct Idx {
    sizes: Vec<usize>,
    elements: Vec<u8>,
}

/// Reads a compressed IDX file of bytes: two zeros, the type 8, the number of dimensions, their sizes, the elements.
fn idx(path: &Path) -> Option<Idx> {
    let mut bytes = Vec::new();
    GzDecoder::new(File::open(path).ok()?).read_to_end(&mut bytes).ok()?;
    let (&[0, 0, 8, dimensions], rest) = bytes.split_first_chunk::<4>()? else { return None };
    let (sizes, elements) = rest.split_at_checked(4 * usize::from(dimensions))?;
    let (sizes, _) = sizes.as_chunks::<4>();
    let sizes: Vec<usize> = sizes.iter().map(|size| u32::from_be_bytes(*size) as usize).collect();
    (sizes.iter().product::<usize>() == elements.len()).then(|| Idx { sizes, elements: elements.to_vec() })
}
