//! Matrices as bytes: the numbers of rows and columns, and the values column by column.

use nalgebra::DMatrix;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub fn serialize<S: Serializer>(matrix: &DMatrix<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    (matrix.nrows(), matrix.ncols(), matrix.as_slice()).serialize(serializer)
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DMatrix<f64>, D::Error> {
    let (rows, columns, values): (usize, usize, Vec<f64>) = Deserialize::deserialize(deserializer)?;
    if rows.checked_mul(columns) != Some(values.len()) {
        return Err(D::Error::custom("the shape of a matrix is not that of its values"));
    }
    Ok(DMatrix::from_vec(rows, columns, values))
}
