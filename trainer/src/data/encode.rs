//! One-hot coding: a column of categories becomes an input for each category.

use std::collections::BTreeSet;

use nalgebra::DMatrix;

use crate::data::classes::{Lookup, classes_among};
use crate::data::column_error::ColumnError;
use crate::data::columns::shortened;
use crate::data::preparation::Missing;
use crate::data::table::{Label, Table};

/// The largest number of categories of a column.
const MOST_CATEGORIES: usize = 100;

/// Returns the categories among the labels of a column: by value if all are numbers, otherwise by code point.
///
/// # Errors
/// [`ColumnError::ManyCategories`].
pub fn categories(table: &Table, column: usize, labels: &[Label]) -> Result<Vec<String>, ColumnError> {
    let different: BTreeSet<&str> = labels.iter().filter_map(|(_, label)| label.as_deref()).collect();
    if different.len() > MOST_CATEGORIES {
        return Err(ColumnError::ManyCategories {
            path: table.path().to_owned(),
            name: table.names()[column].clone(),
            found: different.len(),
            limit: MOST_CATEGORIES,
        });
    }
    Ok(classes_among(different))
}

/// Returns an input for each category, n×c: 1 in rows of the category, else 0. Rows with a missing label are NaN.
///
/// # Errors
/// [`ColumnError::UnknownCategory`] for other categories, if missing values are errors; otherwise other categories
/// count as missing.
pub fn encode(
    table: &Table,
    column: usize,
    labels: &[Label],
    categories: &[String],
    missing: Missing,
) -> Result<DMatrix<f64>, ColumnError> {
    let lookup = Lookup::new(categories);
    let mut coded = DMatrix::zeros(labels.len(), categories.len());
    for (row, (line, label)) in labels.iter().enumerate() {
        match label.as_ref().and_then(|label| lookup.class(label)) {
            Some(category) => coded[(row, category)] = 1.0,
            None if missing != Missing::Error => (0..categories.len()).for_each(|i| coded[(row, i)] = f64::NAN),
            None => {
                return Err(ColumnError::UnknownCategory {
                    path: table.path().to_owned(),
                    place: table.place(*line, column),
                    label: label.clone().unwrap_or_default(),
                    known: shortened(categories),
                });
            }
        }
    }
    Ok(coded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::preparation::Preparation;
    use crate::data::value::Fields;
    use crate::sampling::Sampler;

    #[test]
    fn the_category_of_every_row_can_be_read_from_its_inputs() {
        const WORDS: [&str; 7] = ["eco", "", "off", "10", "9.5", "NA", "a, b"];
        let settings = Preparation { missing: Missing::Mean, ..Preparation::default() };
        let mut sampler = Sampler::new(5);
        for words in 1..=WORDS.len() {
            let drawn: Vec<&str> = (0..50).map(|_| WORDS[sampler.permutation(words)[0]]).collect();
            let text: String = drawn.iter().map(|word| format!("\"{word}\";1\n")).collect();
            let table = Table::parse("t", format!("mode;y\n{text}").into_bytes()).unwrap();
            let labels = table.labels(0, &Fields::new(&settings)).unwrap();
            let all = categories(&table, 0, &labels).unwrap();
            let coded = encode(&table, 0, &labels, &all, Missing::Mean).unwrap();
            assert_eq!(coded.shape(), (50, all.len()));
            for (row, word) in coded.row_iter().zip(&drawn) {
                if word.is_empty() || *word == "NA" {
                    assert!(row.iter().all(|value| value.is_nan()));
                    continue;
                }
                let ones: Vec<&str> = (0..all.len()).filter(|&c| row[c] == 1.0).map(|c| all[c].as_str()).collect();
                assert_eq!((row.sum(), ones), (1.0, vec![*word]));
            }
        }
    }
}
