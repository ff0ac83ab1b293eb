//! The text of a C source: parts, tables and functions.

use std::collections::BTreeSet;

use super::literals::long;
use super::outline::Outline;
use super::parts::Part;
use super::style::Style;
use crate::export::lines::in_lines;

/// Columns of a line of constants.
const COLUMNS: usize = 110;

/// The types of the constants in tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Float,
    Word,
    Half,
    Short,
    Byte,
}

impl Type {
    /// Returns the type of indices below `end`.
    pub fn of_indices(end: usize) -> Type {
        if end > 256 { Type::Short } else { Type::Byte }
    }

    /// Returns the bytes of an element.
    fn bytes(self) -> usize {
        match self {
            Type::Float | Type::Word => 4,
            Type::Half | Type::Short => 2,
            Type::Byte => 1,
        }
    }

    /// Returns the type's name in C.
    pub fn name(self) -> &'static str {
        match self {
            Type::Float => "float",
            Type::Word => "uint32_t",
            Type::Half => "int16_t",
            Type::Short => "uint16_t",
            Type::Byte => "uint8_t",
        }
    }

    /// Returns the expression that reads an element of a table.
    pub fn read(self, table: &str, index: &str) -> String {
        let kind = match self {
            Type::Float => "FLOAT",
            Type::Word => "WORD",
            Type::Half => "HALF",
            Type::Short => "SHORT",
            Type::Byte => "BYTE",
        };
        format!("MODEL_READ_{kind}(&{table}[{index}])")
    }
}

/// The text of a source that grows. In it `model_` and `MODEL_` stand for the name of the model.
pub(super) struct Writer<'a> {
    name: &'a str,
    style: Style,
    parts: BTreeSet<Part>,
    tables: String,
    functions: String,
    table_count: usize,
    indent: usize,
    outline: Outline,
}

impl<'a> Writer<'a> {
    pub fn new(name: &'a str, style: Style) -> Self {
        Writer {
            name,
            style,
            parts: BTreeSet::new(),
            tables: String::new(),
            functions: String::new(),
            table_count: 0,
            indent: 0,
            outline: Outline::default(),
        }
    }

    /// Adds a part and the parts that it needs.
    pub fn need(&mut self, part: Part) {
        if self.parts.insert(part) {
            part.needs().iter().for_each(|&needed| self.need(needed));
        }
    }

    /// Returns the contents for the size and the instructions of the source.
    pub fn outline(&mut self) -> &mut Outline {
        &mut self.outline
    }

    /// Returns the contents, with the tables of kernels that the source needs.
    pub fn into_outline(mut self) -> Outline {
        let tables = self.parts.iter().filter(|part| matches!(part, Part::Cosines | Part::Sigmoids)).count();
        self.outline.constants = tables * size_of::<[i32; 256]>();
        self.outline
    }

    /// Adds a line to the functions. A line that ends in a brace begins a block, and one that begins with a brace ends
    /// it.
    pub fn line(&mut self, line: impl AsRef<str>) {
        let line = self.named(line.as_ref());
        self.raw(&line);
    }

    /// Adds a line without replacing the name of the model.
    pub fn raw(&mut self, line: &str) {
        if line.starts_with('}') {
            self.indent -= 1;
        }
        let indent = if line.is_empty() || line.starts_with('#') { 0 } else { self.indent };
        self.functions += &format!("{:width$}{line}\n", "", width = 4 * indent);
        if line.ends_with('{') {
            self.indent += 1;
        }
    }

    /// Begins a loop of `counter` over `count` numbers from zero, which compilers write out in fast code alone.
    pub fn begin_loop(&mut self, counter: &str, count: usize) {
        let rolled = match self.style {
            Style::Small => {
                self.need(Part::Rolled);
                "MODEL_ROLLED "
            }
            Style::Fast => "",
        };
        self.line(format!("{rolled}for (size_t {counter} = 0; {counter} < {count}u; {counter}++) {{"));
    }

    /// Adds a comment before a function.
    pub fn comment(&mut self, text: &str) {
        self.line("");
        let text = self.named(text);
        self.raw(&commented(&text));
    }

    /// Adds a table of constants and returns its name.
    pub fn table(&mut self, kind: Type, what: &str, values: Vec<String>) -> String {
        self.need(Part::Flash);
        self.table_count += 1;
        self.outline.parameters += kind.bytes() * values.len();
        let name = format!("model_{what}_{}", self.table_count);
        let text = format!("static const {} {name}[{}] MODEL_FLASH = {{", kind.name(), values.len());
        self.tables += &self.named(&format!("{text}{}}};\n", listed(&values)));
        name
    }

    /// Returns a text with the name of the model.
    pub fn named(&self, text: &str) -> String {
        text.replace("model_", &format!("{}_", self.name))
            .replace("MODEL_", &format!("{}_", self.name.to_uppercase()))
            .replace("error \"model ", &format!("error \"{} ", self.name))
            .replace("warning \"model ", &format!("warning \"{} ", self.name))
    }

    /// Adds text as it is.
    pub fn verbatim(&mut self, text: &str) {
        self.functions += text;
    }

    /// Returns the functions alone.
    pub fn functions(&self) -> &str {
        &self.functions
    }

    /// Returns parts, tables and functions.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for &part in &self.parts {
            let lines: Vec<String> = part.lines().iter().map(|&line| long(line)).collect();
            text += &self.named(&part.text().replace("@lines@", &listed(&lines)));
            text += "\n";
        }
        text + &self.tables + &self.functions
    }
}

/// Returns constants between braces, in lines of equal width.
pub(super) fn listed(values: &[String]) -> String {
    in_lines(values).trim_end().trim_end_matches(',').to_owned() + "\n"
}

/// Returns a text as a comment in lines of limited width.
pub(super) fn commented(text: &str) -> String {
    let (mut lines, mut line) = (String::new(), String::from("/*"));
    for word in text.split(' ') {
        if line.chars().count() + 1 + word.chars().count() + 3 > COLUMNS {
            lines += &format!("{line}\n");
            line = String::from("  ");
        }
        line += &format!(" {word}");
    }
    lines + &line + " */"
}
