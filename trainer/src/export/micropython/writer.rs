//! The text of a Python source: tables and indented lines.

use std::collections::BTreeSet;

use crate::export::lines::in_lines;

/// Columns of a line.
pub(super) const COLUMNS: usize = 110;

/// Functions and tables that several models share, in the order in which a source has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// The lines of the cosine.
    Cosines,
    /// The lines of the sigmoid.
    Sigmoids,
    /// Rounding to the precision of readings.
    Rounded,
    /// Readings as whole numbers.
    Exact,
    /// The logarithm of a count.
    Logarithm,
    /// The square root of a count.
    Root,
}

/// A source that grows.
#[derive(Default)]
pub(super) struct Writer {
    parts: BTreeSet<Part>,
    tables: String,
    table_count: usize,
    lines: String,
    indent: usize,
}

impl Writer {
    /// Adds a part.
    pub fn need(&mut self, part: Part) {
        self.parts.insert(part);
    }

    /// Returns the parts that the source needs.
    pub fn parts(&self) -> &BTreeSet<Part> {
        &self.parts
    }

    /// Adds a line.
    pub fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        let width = if line.is_empty() { 0 } else { 4 * self.indent };
        self.lines += &format!("{:width$}{line}\n", "");
    }

    /// Adds a line that begins a block.
    pub fn open(&mut self, line: impl AsRef<str>) {
        self.line(line);
        self.indent += 1;
    }

    /// Ends a block.
    pub fn close(&mut self) {
        self.indent -= 1;
    }

    /// Begins a function at the outer level, with a comment about it.
    pub fn function(&mut self, head: &str, comment: &str) {
        self.line("");
        self.line("");
        self.open(format!("def {head}:"));
        self.comment(comment);
    }

    /// Adds a comment in lines of limited width.
    pub fn comment(&mut self, text: &str) {
        for line in commented(text, COLUMNS - 4 * self.indent) {
            self.line(line);
        }
    }

    /// Adds an assignment of a sum, in several lines where it is long.
    pub fn sum(&mut self, target: &str, terms: &[String]) {
        let line = format!("{target} = {}", terms.join(" + "));
        if line.len() + 4 * self.indent <= COLUMNS {
            return self.line(line);
        }
        self.line(format!("{target} = {}", terms[0]));
        for some in terms[1..].chunks(4) {
            self.line(format!("{target} += {}", some.join(" + ")));
        }
    }

    /// Adds a table of constants and returns its name. Tables are tuples, of which MicroPython keeps one copy.
    pub fn table(&mut self, what: &str, values: &[String]) -> String {
        self.table_count += 1;
        let name = format!("_{what}_{}", self.table_count);
        self.tables += &format!("{name} = ({})\n", in_lines(values));
        name
    }

    /// Adds a table of indices and returns its name.
    pub fn indices(&mut self, what: &str, indices: &[u16]) -> String {
        self.table(what, &indices.iter().map(u16::to_string).collect::<Vec<_>>())
    }

    /// Adds text to the tables.
    pub fn constant(&mut self, text: &str) {
        self.tables += text;
    }

    /// Returns the tables.
    pub fn tables(&self) -> &str {
        &self.tables
    }

    /// Returns the functions.
    pub fn lines(&self) -> &str {
        &self.lines
    }
}

/// Returns a text as lines of a comment.
pub(super) fn commented(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::from("#")];
    for word in text.split_whitespace() {
        let last = lines.last_mut().filter(|last| last.chars().count() + 1 + word.chars().count() <= columns);
        match last {
            Some(last) => *last += &format!(" {word}"),
            None => lines.push(format!("# {word}")),
        }
    }
    lines
}
