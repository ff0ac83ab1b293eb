//! Folds that the caller has divided.

use crate::data::split::{Split, SplitError};

/// Returns the folds with ascending rows after checking them for a data set of `rows` rows.
///
/// # Errors
/// [`SplitError::Fold`]: a part without rows, a row that there is not, or a row in both parts of a fold.
pub(crate) fn checked(folds: &[Split], rows: usize) -> Result<Vec<Split>, SplitError> {
    let wrong = |fold: usize, problem: String| Err(SplitError::Fold { fold, problem });
    let mut checked = Vec::with_capacity(folds.len());
    for (fold, split) in folds.iter().enumerate() {
        let mut parts = [split.train.clone(), split.test.clone()];
        let mut taken = vec![false; rows];
        for (rows_of_part, name) in parts.iter_mut().zip(["training", "test"]) {
            rows_of_part.sort_unstable();
            rows_of_part.dedup();
            match rows_of_part.last() {
                None => return wrong(fold, format!("has no {name} rows")),
                Some(last) if *last >= rows => {
                    return wrong(
                        fold,
                        format!("has row {last} among its {name} rows, but the last row is {}", rows - 1),
                    );
                }
                Some(_) => {}
            }
            if let Some(row) = rows_of_part.iter().find(|&&row| taken[row]) {
                return wrong(fold, format!("has row {row} among its training rows and among its test rows"));
            }
            rows_of_part.iter().for_each(|&row| taken[row] = true);
        }
        let [train, test] = parts;
        checked.push(Split { train, test });
    }
    Ok(checked)
}

/// Returns the folds of the `chosen` rows, which are numbered anew in this order. Folds that lose all their training or
/// test rows are left out.
///
/// # Errors
/// [`SplitError::NoFoldLeft`].
pub(crate) fn selected(folds: &[Split], chosen: &[usize]) -> Result<Vec<Split>, SplitError> {
    let rows = chosen.iter().max().map_or(0, |&last| last + 1);
    let mut places = vec![None; rows];
    chosen.iter().enumerate().for_each(|(place, &row)| places[row] = Some(place));
    let part = |rows: &[usize]| rows.iter().filter_map(|&row| *places.get(row)?).collect();
    let selected: Vec<Split> = folds
        .iter()
        .map(|fold| Split { train: part(&fold.train), test: part(&fold.test) })
        .filter(|fold| !fold.train.is_empty() && !fold.test.is_empty())
        .collect();
    if selected.is_empty() { Err(SplitError::NoFoldLeft { rows: chosen.len() }) } else { Ok(selected) }
}

/// Returns whether every fold tests rows after all its training rows.
pub(crate) fn is_forward(folds: &[Split]) -> bool {
    folds.iter().all(|fold| fold.train.iter().max() < fold.test.iter().min())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(train: &[usize], test: &[usize]) -> Split {
        Split { train: train.to_vec(), test: test.to_vec() }
    }

    #[test]
    fn folds_are_sorted_and_faults_are_named() {
        assert_eq!(checked(&[fold(&[3, 0, 3], &[2, 1])], 4).unwrap(), [fold(&[0, 3], &[1, 2])]);
        let said = |train: &[usize], test: &[usize]| {
            checked(&[fold(&[0], &[1]), fold(train, test)], 4).unwrap_err().to_string()
        };
        assert!(said(&[0, 1], &[]).contains("fold 1 has no test rows"));
        assert!(said(&[], &[1]).contains("fold 1 has no training rows"));
        assert!(said(&[0], &[4]).contains("fold 1 has row 4 among its test rows, but the last row is 3"));
        assert!(said(&[0, 2], &[1, 2]).contains("fold 1 has row 2 among its training rows and among its test rows"));
    }

    #[test]
    fn chosen_rows_keep_their_folds() {
        let folds = [fold(&[0, 1, 2], &[3, 4]), fold(&[3, 4], &[0, 1, 2]), fold(&[0, 3], &[1])];
        // Rows 4, 0 and 2 become 0, 1 and 2; the last fold has lost its test row.
        let expected = [fold(&[1, 2], &[0]), fold(&[0], &[1, 2])];
        assert_eq!(selected(&folds, &[4, 0, 2]).unwrap(), expected);
        assert_eq!(selected(&folds[2..], &[4, 0, 2]), Err(SplitError::NoFoldLeft { rows: 3 }));
        assert!(is_forward(&[fold(&[0, 1], &[2]), fold(&[1], &[4, 3])]));
        assert!(!is_forward(&folds));
    }
}
