//! The files that the page offers: the header, and the folders of build systems.

use serde_json::{Value, json};
use srfm_cli::command::export::{Layout, source};
use srfm_cli::report::c_name;
use srfm_trainer::data::Description;
use srfm_trainer::export::{Blob, CSource, Style};

use crate::labels::said;

/// The layouts and their names.
pub const LAYOUTS: [(&str, &str); 6] = [
    ("header", "C header"),
    ("arduino", "Arduino library"),
    ("platformio", "PlatformIO library"),
    ("zephyr", "Zephyr module"),
    ("esp-idf", "ESP-IDF component"),
    ("cmake", "CMake library"),
];

/// Returns the layout of a name.
///
/// # Errors
/// A sentence for an unknown name.
pub fn layout(name: &str) -> Result<Layout, String> {
    let all = [Layout::Header, Layout::Arduino, Layout::Platformio, Layout::Zephyr, Layout::EspIdf, Layout::Cmake];
    let found = all.into_iter().zip(LAYOUTS).find(|(_, (known, _))| *known == name);
    found.map(|(layout, _)| layout).ok_or_else(|| format!("no layout is called {name:?}"))
}

/// Returns the files of a layout with their paths, that of the header first, for a model of a name.
///
/// # Errors
/// The sentence that says why there is no C source.
pub fn files(blob: &Blob, description: &Description, name: &str, layout: Layout) -> Result<Value, String> {
    let name = c_name(name);
    CSource::check_name(&name).map_err(|error| error.to_string())?;
    let source = source(blob, &name, Style::Small, Some(description), None);
    let source = source.map_err(|failure| said(&failure.into_message()))?;
    let text = source.text();
    let files = match layout {
        Layout::Header => vec![(format!("{name}.h"), text)],
        _ => {
            let files = layout.files(&source, text).into_iter();
            files.map(|(path, bytes)| (path, String::from_utf8_lossy(&bytes).into_owned())).collect()
        }
    };
    Ok(json!({ "name": name, "files": files, "call": source.budgeted() }))
}
