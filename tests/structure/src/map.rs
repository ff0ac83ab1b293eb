//! The names that a document mentions in backticks, and those that are gone from the repository.
//!
//! A name is a path, a module, an item, a macro, a package or a variable of the environment. Upper-case words such as
//! `NAME` stand for any name, and the part of a path in front of one must exist.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use syn::Ident;
use syn::visit::{self, Visit};

use crate::source::{Crate, plain};

/// Words of Rust, of cargo and of Markdown, which no file of the repository defines.
const FOREIGN: [&str; 10] = ["bench", "cargo", "console", "f32", "impl", "run", "serde", "test", "toml", "unsafe"];

/// The names that the repository has.
#[derive(Default)]
pub struct Known {
    names: HashSet<String>,
    paths: HashSet<PathBuf>,
    /// All text in which variables of the environment are looked for.
    text: String,
}

impl Known {
    /// Adds the modules and items of a crate, and the names of its package and target.
    pub fn add_crate(&mut self, krate: &Crate) {
        self.names.extend(krate.name.split(' ').map(str::to_owned));
        for module in &krate.modules {
            self.names.extend(module.path.iter().cloned());
            let mut defined = Defined { names: &mut self.names };
            module.items.iter().for_each(|item| defined.visit_item(item));
        }
    }

    /// Adds a file and the folders that it is in.
    pub fn add_file(&mut self, file: &Path) {
        self.names.extend(file.file_name().and_then(|name| name.to_str()).map(str::to_owned));
        for path in file.ancestors() {
            self.paths.insert(path.to_owned());
            // A room is named by its folder in `src`.
            let parts: Vec<_> = path.iter().collect();
            if let Some(place) = parts.iter().rposition(|part| *part == "src") {
                self.paths.insert(parts[place + 1..].iter().collect());
            }
        }
    }

    /// Adds text that may use variables of the environment.
    pub fn add_text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Lists the names in backticks that the repository does not have, with the numbers of their lines.
    pub fn missing(&self, document: &str) -> Vec<(usize, String)> {
        let mut missing = Vec::new();
        for (line, span) in spans(document) {
            missing.extend(span.split_whitespace().filter(|word| !self.has(word)).map(|word| (line, word.to_owned())));
        }
        missing
    }

    /// Whether the repository has what a word names; words that are no names are passed over.
    fn has(&self, word: &str) -> bool {
        let word = word.trim_matches(|c: char| ",.;()".contains(c)).trim_end_matches('!');
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_-:/.=".contains(c);
        if word.is_empty() || word.starts_with('-') || !word.chars().all(is_name) {
            return true;
        }
        let variable = word.split('=').next().unwrap_or_default();
        if variable.contains('_') && is_upper(variable) {
            return self.text.contains(variable);
        }
        if is_upper(word) {
            return true;
        }
        if word.contains('/') {
            let parts = word.trim_start_matches("./").split('/').filter(|part| !part.is_empty());
            let known: PathBuf = parts.take_while(|part| !is_upper(part.split('.').next().unwrap_or(part))).collect();
            return self.paths.contains(&known);
        }
        word.split("::").all(|name| FOREIGN.contains(&name) || self.names.contains(name) || self.is_file(name))
    }

    fn is_file(&self, name: &str) -> bool {
        self.paths.contains(Path::new(name))
    }
}

/// Whether a word has capital letters and no small ones, as a placeholder has.
fn is_upper(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_uppercase()) && !word.contains(|c: char| c.is_ascii_lowercase())
}

/// The texts between single backticks outside of fenced blocks, without HTML, with the numbers of their lines.
fn spans(document: &str) -> Vec<(usize, String)> {
    let mut text = String::new();
    let mut is_fenced = false;
    for line in document.lines() {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        // Lines stay, so that they keep their numbers.
        let is_text = !is_fenced && !is_fence && !line.contains("````");
        text.push_str(if is_text { line } else { "" });
        text.push('\n');
    }
    let mut spans = Vec::new();
    let mut line = 1;
    for (place, part) in text.split('`').enumerate() {
        if place % 2 == 1 && !part.starts_with('<') {
            spans.push((line, part.to_owned()));
        }
        line += part.matches('\n').count();
    }
    spans
}

/// The names that items define: functions, methods, types, variants, constants and macros.
struct Defined<'a> {
    names: &'a mut HashSet<String>,
}

impl Defined<'_> {
    fn add(&mut self, name: &Ident) {
        self.names.insert(plain(name));
    }
}

impl<'ast> Visit<'ast> for Defined<'_> {
    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        self.add(&signature.ident);
        visit::visit_signature(self, signature);
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.add(&item.ident);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.add(&item.ident);
        item.variants.iter().for_each(|variant| self.add(&variant.ident));
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.add(&item.ident);
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.add(&item.ident);
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.add(&item.ident);
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.add(&item.ident);
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        item.ident.iter().for_each(|name| self.add(name));
    }
}
