//! Names of columns.

/// Returns the name of a column that has no name in its file; columns count from 1.
pub fn automatic_name(column: usize) -> String {
    format!("column {column}")
}

/// Returns the checksum of input names in a model file.
///
/// Automatic names have the checksum 0, which matches every file, since another file with the same columns may name
/// them.
pub fn inputs_hash(names: &[String]) -> u32 {
    let automatic = |name: &String| name.strip_prefix("column ").is_some_and(|number| number.parse::<usize>().is_ok());
    if names.iter().all(automatic) { 0 } else { srfm_runtime::format::hash_names(names.iter().map(String::as_str)) }
}
