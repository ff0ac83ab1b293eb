//! Names of columns.

/// Returns the name of a column that has no name in its file; columns count from 1.
pub fn automatic_name(column: usize) -> String {
    format!("column {column}")
}

/// Returns the number in a name that a column without a name gets; none for other names.
pub fn automatic_number(name: &str) -> Option<usize> {
    name.strip_prefix("column ")?.parse().ok()
}

/// Returns the checksum of input names in a model file.
///
/// Automatic names have the checksum 0, which matches every file, since another file with the same columns may name
/// them.
pub fn inputs_hash(names: &[String]) -> u32 {
    if names.iter().all(|name| automatic_number(name).is_some()) {
        0
    } else {
        srfm_runtime::format::hash_names(names.iter().map(String::as_str))
    }
}
