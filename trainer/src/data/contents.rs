//! Says which columns hold text or nothing at all, and which options help.

use std::collections::BTreeSet;

use crate::data::value::{Fields, is_missing_word, looks_numeric};
use crate::data::{DataError, column_error::ColumnError};
use crate::message::setting::{CATEGORICAL, IGNORE, INPUTS};
use crate::message::{Message, Setting, message};

/// The largest number of different texts of a column that is suggested as a category.
const FEW: usize = 20;

/// The largest number of columns that a message lists.
const MOST_LISTED: usize = 40;

/// What the fields of a column are.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    pub numbers: usize,
    pub texts: usize,
    /// The line and the first characters of the first text.
    first: Option<(u64, String)>,
    /// Some of the different texts, at most one more than [`FEW`].
    different: BTreeSet<String>,
}

impl Contents {
    /// Counts a field.
    pub fn add(&mut self, line: u64, field: &str, fields: &Fields<'_>) {
        match fields.number(field) {
            Ok(value) if value.is_nan() => {}
            Ok(_) => self.numbers += 1,
            Err(_) if looks_numeric(field) => self.numbers += 1,
            Err(_) if field.is_empty() || is_missing_word(field) => {}
            Err(_) => {
                self.texts += 1;
                self.first.get_or_insert_with(|| (line, field.chars().take(40).collect()));
                if self.different.len() <= FEW {
                    self.different.insert(field.to_owned());
                }
            }
        }
    }

    /// Returns whether the column holds few different words, most of them several times.
    pub fn is_category(&self) -> bool {
        let few = self.different.len() <= FEW && 2 * self.different.len() <= self.texts;
        few && !self.different.iter().any(|text| text.starts_with(|c: char| c.is_ascii_digit()))
    }

    /// Returns the unit that follows a number in every text, as in "2.5 °C"; none where a text is no such number.
    fn unit(&self, fields: &Fields<'_>) -> Option<&str> {
        let unit_of = |text| {
            let (number, unit) = str::split_at(text, str::find(text, |c: char| !is_of_number(c))?);
            fields.number(number).ok().filter(|value| value.is_finite()).map(|_| unit.trim())
        };
        let mut units = self.different.iter().map(|text| unit_of(text));
        let first = units.next()??;
        (self.different.len() > 1 && units.all(|unit| unit == Some(first))).then_some(first)
    }
}

/// Returns whether a character is one of a number without an exponent.
fn is_of_number(c: char) -> bool {
    c.is_ascii_digit() || "+-.,".contains(c)
}

/// Takes the place of a column among others, the line or row of a field, and the field.
pub type Visit<'a> = dyn FnMut(usize, u64, &str) + 'a;

/// Returns the error that names all of the columns that hold mostly text, or no values, and the options that help.
/// None if there is no such column. `each` visits the fields of the columns; `line_name` is what a row is called.
pub fn not_numbers(
    path: &str,
    names_of: &[&str],
    line_name: &str,
    fields: &Fields<'_>,
    each: impl FnOnce(&mut Visit<'_>) -> Result<(), DataError>,
) -> Result<Option<ColumnError>, DataError> {
    let mut contents = vec![Contents::default(); names_of.len()];
    each(&mut |column, line, field| contents[column].add(line, field, fields))?;
    let named = || contents.iter().zip(names_of.iter().copied());
    let texts: Vec<(&Contents, &str)> = named().filter(|(c, _)| c.texts > c.numbers).collect();
    let empty: Vec<&str> = named().filter(|(c, _)| c.texts + c.numbers == 0).map(|(_, name)| name).collect();
    if texts.is_empty() && empty.is_empty() {
        return Ok(None);
    }
    let (coded, other): (Vec<_>, Vec<_>) = texts.iter().partition(|(contents, _)| contents.is_category());
    let example = texts.first().and_then(|(contents, _)| contents.first.as_ref());
    let alone = if let [(contents, _)] = texts[..] { contents.unit(fields) } else { None };
    let unit = alone.map_or(String::new(), |unit| format!("remove the unit {unit} after each number, or "));
    let example = example.map_or(String::new(), |(line, text)| format!(" ({line_name} {line}: {text:?})"));
    let coded = names(&coded);
    let ignored = [names(&other), empty.clone()].concat();
    let mut found = Vec::new();
    if !texts.is_empty() {
        found.push(format!("text in the {}{example}", listed(&names(&texts))));
    }
    if !empty.is_empty() {
        found.push(format!("no values in the {}", listed(&empty)));
    }
    let found = found.join(" and ");
    let problem = message!("has {found}; {unit}", advice(&ignored, &coded));
    Ok(Some(ColumnError::NotNumbers { path: path.to_owned(), problem }))
}

fn names<'a>(columns: &[(&Contents, &'a str)]) -> Vec<&'a str> {
    columns.iter().map(|(_, name)| *name).collect()
}

/// Returns the settings that leave out and code the columns.
fn advice(ignored: &[&str], coded: &[&str]) -> Message {
    if ignored.len() + coded.len() > MOST_LISTED {
        return message!("name the columns of numbers with ", INPUTS);
    }
    if ignored.is_empty() {
        return message!("add ", with_columns(CATEGORICAL, coded), ", or ", with_columns(IGNORE, coded));
    }
    let ignored = message!("add ", with_columns(IGNORE, ignored));
    if coded.is_empty() { ignored } else { message!(ignored, " ", with_columns(CATEGORICAL, coded)) }
}

/// Returns a setting with a list of columns, as a shell takes it. A name with a comma is a list of its own.
fn with_columns(setting: Setting, columns: &[&str]) -> Message {
    let plain = |c: char| c.is_alphanumeric() || "_-.+/:%".contains(c);
    let quoted = |list: &str| {
        if list.chars().all(|c| plain(c) || c == ',') { list.to_owned() } else { format!("{list:?}") }
    };
    let (alone, together): (Vec<&str>, Vec<&str>) = columns.iter().partition(|column| column.contains(','));
    let lists = Some(together.join(",")).filter(|list| !list.is_empty()).into_iter();
    let mut message = Message::default();
    for list in lists.chain(alone.into_iter().map(str::to_owned)) {
        let space = if message.is_empty() { "" } else { " " };
        message = message.and(space).and(setting.clone().with(quoted(&list)));
    }
    message
}

/// Returns "column a", or "columns a, b".
fn listed(names: &[&str]) -> String {
    let more = if names.len() > MOST_LISTED { ", ..." } else { "" };
    let s = if names.len() == 1 { "" } else { "s" };
    format!("column{s} {}{more}", names[..names.len().min(MOST_LISTED)].join(", "))
}
