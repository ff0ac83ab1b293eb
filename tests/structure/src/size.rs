//! Columns of lines and lines of functions.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// The columns of a line, without those of its URLs.
pub fn columns(line: &str) -> usize {
    let is_url = |word: &&str| word.contains("https://") || word.contains("http://");
    let urls: usize = line.split_whitespace().filter(is_url).map(|word| word.chars().count()).sum();
    line.chars().count() - urls
}

/// The numbers of the lines with more than `most` columns, and their columns; rows of Markdown tables are exempt.
pub fn long_lines(text: &str, most: usize, is_markdown: bool) -> Vec<(usize, usize)> {
    let is_row = |line: &str| is_markdown && line.trim_start().starts_with('|');
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !is_row(line));
    lines.map(|(number, line)| (number, columns(line))).filter(|&(_, columns)| columns > most).collect()
}

/// A function with the number of its lines.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    /// The name.
    pub name: String,
    /// The line of `fn`.
    pub line: usize,
    /// The lines from `fn` to the closing brace.
    pub lines: usize,
}

/// Lists the functions of a Rust file: functions, methods and tests.
///
/// # Errors
/// A text that is not Rust.
pub fn functions(text: &str) -> syn::Result<Vec<Function>> {
    let mut found = Functions::default();
    found.visit_file(&syn::parse_file(text)?);
    Ok(found.list)
}

#[derive(Default)]
struct Functions {
    list: Vec<Function>,
}

impl Functions {
    fn add(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let (first, last) = (signature.fn_token.span().start().line, block.brace_token.span.close().end().line);
        self.list.push(Function { name: signature.ident.to_string(), line: first, lines: last + 1 - first });
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.add(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.add(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.add(&item.sig, block);
        }
        visit::visit_trait_item_fn(self, item);
    }
}
