//! The contents of the columns of a table, for programs whose users choose the role of each.

use serde::Serialize;

use crate::data::DataError;
use crate::data::contents::Contents;
use crate::data::preparation::{Decimal, Missing, Preparation};
use crate::data::table::{Content, Table};
use crate::data::time::seconds;
use crate::data::value::{Fields, looks_numeric};

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Column {
    /// The name; `column 1` and so on in a file without a header.
    pub name: String,
    /// The kind of most fields.
    pub kind: ColumnKind,
    /// The number of missing values.
    pub missing: usize,
    /// Whether numbers have a decimal comma.
    pub decimal_comma: bool,
    /// The smallest and the largest number; none for text.
    pub range: Option<[f64; 2]>,
    /// The fields of the first rows.
    pub first: Vec<String>,
    /// The numbers of rows at equal distances, in the order of the file; none for a missing value and for text.
    pub course: Vec<Option<f64>>,
}

/// The kind of most fields of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnKind {
    /// Numbers.
    Number,
    /// Few different words.
    Category,
    /// Time stamps in the form of ISO 8601.
    Time,
    /// Other text.
    Text,
    /// No values.
    Empty,
}

impl Table {
    /// Returns the contents of the columns: each with the fields of `first` rows and at most `points` numbers of its
    /// course.
    ///
    /// # Errors
    /// [`DataError`] for a file that cannot be read.
    pub fn overview(&self, first: usize, points: usize) -> Result<Vec<Column>, DataError> {
        let stride = self.rows().div_ceil(points.max(1)).max(1);
        let mut found = vec![Found::default(); self.names().len()];
        let settings = Preparation { missing: Missing::Drop, ..Preparation::default() };
        let rules = Fields::new(&settings);
        let with_comma = Preparation { decimal: Decimal::Comma, ..settings.clone() };
        let comma = Fields::new(&with_comma);
        let mut add = |column: usize, row: usize, line: u64, field: &str| {
            let found = &mut found[column];
            found.add(line, field, [&rules, &comma]);
            if row < first {
                found.first.push(field.to_owned());
            }
            if row.is_multiple_of(stride) {
                found.course.push(found.last);
            }
        };
        self.each_field(&mut add)?;
        Ok(found.into_iter().zip(self.names()).map(|(found, name)| found.column(name, self.rows())).collect())
    }

    /// Calls `visit` with the column, the row, the line and the text of every field.
    fn each_field(&self, visit: &mut dyn FnMut(usize, usize, u64, &str)) -> Result<(), DataError> {
        match self.content() {
            Content::Text(text) => text.each_row(self.path(), |row, line, fields| {
                fields.iter().enumerate().for_each(|(column, field)| visit(column, row, line, field));
                Ok(())
            }),
            Content::Array { array, .. } => {
                for column in 0..array.columns() {
                    let values = array.column(column).enumerate();
                    values.for_each(|(row, value)| visit(column, row, row as u64 + 1, &value.to_string()));
                }
                Ok(())
            }
            Content::Memory(memory) => {
                for column in 0..memory.columns() {
                    let texts = memory.texts(column).into_iter().enumerate();
                    texts.for_each(|(row, (line, text))| visit(column, row, line, &text));
                }
                Ok(())
            }
            #[cfg(feature = "parquet")]
            Content::Parquet(file) => (0..self.names().len()).try_for_each(|column| {
                file.each_in_column(self.path(), column, |row, cell| {
                    visit(column, row as usize - 1, row, &cell.to_string());
                    Ok(())
                })
            }),
        }
    }
}

/// The contents of a column so far.
#[derive(Clone, Default)]
struct Found {
    contents: Contents,
    /// Whether every text is a time stamp.
    other_text: bool,
    commas: usize,
    range: Option<[f64; 2]>,
    /// The number of the last field.
    last: Option<f64>,
    first: Vec<String>,
    course: Vec<Option<f64>>,
}

impl Found {
    /// Counts a field; the rules are those of decimal points and of decimal commas.
    fn add(&mut self, line: u64, field: &str, [rules, comma]: [&Fields<'_>; 2]) {
        let texts = self.contents.texts;
        self.contents.add(line, field, rules);
        self.other_text |= self.contents.texts > texts && seconds(field).is_none();
        let plain = rules.number(field);
        let with_comma = plain.is_err() && looks_numeric(field);
        self.commas += usize::from(with_comma);
        let number = if with_comma { comma.number(field) } else { plain };
        self.last = number.ok().filter(|number| number.is_finite());
        if let Some(number) = self.last {
            let [low, high] = self.range.unwrap_or([number; 2]);
            self.range = Some([low.min(number), high.max(number)]);
        }
    }

    fn column(self, name: &str, rows: usize) -> Column {
        let Contents { numbers, texts, .. } = self.contents;
        let kind = match () {
            () if numbers + texts == 0 => ColumnKind::Empty,
            () if numbers >= texts => ColumnKind::Number,
            () if !self.other_text => ColumnKind::Time,
            () if self.contents.is_category() => ColumnKind::Category,
            () => ColumnKind::Text,
        };
        let is_number = kind == ColumnKind::Number;
        Column {
            name: name.to_owned(),
            kind,
            missing: rows - numbers - texts,
            decimal_comma: is_number && self.commas > 0,
            range: self.range.filter(|_| is_number),
            first: self.first,
            course: if is_number { self.course } else { Vec::new() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_recognised_by_their_fields() {
        let head = "time;volts;mode;note;nothing\n";
        let row = |n: usize| format!("2026-03-01T12:{n:02}:00;{n},5;{};text {n};\n", ["on", "off"][n % 2]);
        let rows: String = (0..10).map(row).collect();
        let table = Table::parse("log.csv", (head.to_owned() + &rows).into_bytes()).unwrap();
        let columns = table.overview(2, 5).unwrap();
        let kinds: Vec<ColumnKind> = columns.iter().map(|column| column.kind).collect();
        let expected =
            [ColumnKind::Time, ColumnKind::Number, ColumnKind::Category, ColumnKind::Text, ColumnKind::Empty];
        assert_eq!(kinds, expected);
        assert_eq!(columns[4].missing, 10);
        let volts = &columns[1];
        assert!(volts.decimal_comma && volts.range == Some([0.5, 9.5]) && volts.first == ["0,5", "1,5"]);
        assert_eq!(volts.course, [0.5, 2.5, 4.5, 6.5, 8.5].map(Some));
        assert!(columns[2].course.is_empty() && columns[2].range.is_none());
    }

    #[test]
    fn missing_values_are_counted_and_columns_of_numbers_have_some_text() {
        let table = Table::parse("log.csv", b"a,b\n1,x\n,y\nNaN,2\n4,3\n5,4\n".to_vec()).unwrap();
        let [a, b] = &table.overview(0, 9).unwrap()[..] else { panic!() };
        assert_eq!((a.kind, a.missing, a.range), (ColumnKind::Number, 2, Some([1.0, 5.0])));
        assert_eq!((b.kind, b.missing), (ColumnKind::Number, 0));
        assert_eq!(a.course, [Some(1.0), None, None, Some(4.0), Some(5.0)]);
    }
}
