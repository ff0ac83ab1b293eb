//! Constants of generated sources in lines of equal width.

/// The columns of a line.
const COLUMNS: usize = 110;

/// Returns constants in indented lines, each constant followed by a comma.
pub(super) fn in_lines(values: &[String]) -> String {
    let mut text = String::from("\n    ");
    let mut column = 4;
    for value in values {
        if column + value.len() + 2 > COLUMNS {
            text.truncate(text.trim_end().len());
            text += "\n    ";
            column = 4;
        }
        text += &format!("{value}, ");
        column += value.len() + 2;
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}
