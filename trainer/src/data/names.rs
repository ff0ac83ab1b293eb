//! Names of columns.

/// What a column is called that has no name of its own; columns count from 1.
pub fn automatic_name(column: usize) -> String {
    format!("column {column}")
}

/// The checksum of input names that a model file holds: 0 where they are automatic, since another file with the same
/// columns may well name them.
pub fn inputs_hash(names: &[String]) -> u32 {
    let automatic = |name: &String| name.strip_prefix("column ").is_some_and(|number| number.parse::<usize>().is_ok());
    if names.iter().all(automatic) { 0 } else { srfm_runtime::format::hash_names(names.iter().map(String::as_str)) }
}
