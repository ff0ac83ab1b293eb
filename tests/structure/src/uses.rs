//! The paths that the code of a crate mentions: in expressions, types, patterns, imports, attributes and macros.

use std::collections::HashSet;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

use crate::names::{imports, is_shared};
use crate::source::{Crate, plain};
use crate::tokens;

/// How the code mentions a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// In an expression, a type, a pattern, or the import of one name.
    Item,
    /// As a call of a macro.
    Macro,
    /// As a re-export of one name: `pub use`, `pub(crate) use`.
    Reexport,
    /// As a re-export of all names of a module.
    GlobReexport,
}

/// One mention of a path.
#[derive(Debug)]
pub struct Use {
    /// The module whose code mentions the path.
    pub module: usize,
    /// The names of the path.
    pub path: Vec<String>,
    /// The line in the module's file.
    pub line: usize,
    /// How the path is mentioned.
    pub kind: Kind,
}

/// Lists the paths that the code of all modules mentions.
pub fn uses(krate: &Crate) -> Vec<Use> {
    let mut visitor = Visitor { module: 0, locals: Vec::new(), found: Vec::new() };
    for (index, module) in krate.modules.iter().enumerate() {
        visitor.module = index;
        module.items.iter().for_each(|item| visitor.visit_item(item));
    }
    visitor.found
}

struct Visitor {
    module: usize,
    /// The variables of the functions around the current position.
    locals: Vec<HashSet<String>>,
    found: Vec<Use>,
}

impl Visitor {
    fn add(&mut self, path: Vec<String>, line: usize, kind: Kind) {
        let is_local = |name: &String| self.locals.iter().any(|locals| locals.contains(name));
        if path.len() != 1 || kind != Kind::Item || !is_local(&path[0]) {
            self.found.push(Use { module: self.module, path, line, kind });
        }
    }

    fn add_path(&mut self, path: &syn::Path, kind: Kind) {
        if let (None, Some(first)) = (path.leading_colon, path.segments.first()) {
            let names = path.segments.iter().map(|segment| plain(&segment.ident)).collect();
            self.add(names, first.ident.span().start().line, kind);
        }
    }

    fn add_tokens(&mut self, tokens: &TokenStream) {
        for found in tokens::paths(tokens.clone()) {
            self.add(found.path, found.line, if found.is_macro { Kind::Macro } else { Kind::Item });
        }
    }

    /// Adds paths in the texts of an attribute, such as `#[serde(with = "crate::a::b")]`.
    fn add_texts(&mut self, tokens: &TokenStream) {
        for tree in tokens.clone() {
            match tree {
                TokenTree::Group(group) => self.add_texts(&group.stream()),
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    if let (true, Ok(path)) = (text.contains("::"), syn::parse_str(text.trim_matches('"'))) {
                        self.add_text_path(&path, literal.span().start().line);
                    }
                }
                _ => {}
            }
        }
    }

    fn add_text_path(&mut self, path: &syn::Path, line: usize) {
        self.add(path.segments.iter().map(|segment| plain(&segment.ident)).collect(), line, Kind::Item);
    }

    /// Visits a function whose variables hide items of the same names.
    fn within(&mut self, locals: HashSet<String>, visit: impl FnOnce(&mut Self)) {
        self.locals.push(locals);
        visit(self);
        self.locals.pop();
    }
}

impl<'ast> Visit<'ast> for Visitor {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        for import in imports(item) {
            match (is_shared(&item.vis), import.name) {
                (true, Some(_)) => self.add(import.path, import.line, Kind::Reexport),
                (true, None) => self.add(import.path, import.line, Kind::GlobReexport),
                (false, _) => self.add(import.path, import.line, Kind::Item),
            }
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.add_path(path, Kind::Item);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.add_path(&call.path, Kind::Macro);
        self.add_tokens(&call.tokens);
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        match &attribute.meta {
            syn::Meta::List(list) => {
                let paths = tokens::paths(list.tokens.clone()).into_iter().filter(|found| found.path.len() > 1);
                paths.for_each(|found| self.add(found.path, found.line, Kind::Item));
                self.add_texts(&list.tokens);
            }
            syn::Meta::Path(_) | syn::Meta::NameValue(_) => {}
        }
    }

    /// Skips `pub(in path)`.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        let mut locals = Locals::default();
        locals.visit_item_fn(item);
        self.within(locals.names, |visitor| visit::visit_item_fn(visitor, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        let mut locals = Locals::default();
        locals.visit_impl_item_fn(item);
        self.within(locals.names, |visitor| visit::visit_impl_item_fn(visitor, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        let mut locals = Locals::default();
        locals.visit_trait_item_fn(item);
        self.within(locals.names, |visitor| visit::visit_trait_item_fn(visitor, item));
    }
}

/// The variables that the patterns of a function bind.
#[derive(Default)]
struct Locals {
    names: HashSet<String>,
}

impl<'ast> Visit<'ast> for Locals {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        let name = plain(&pattern.ident);
        // A name in capitals is a constant or a variant.
        if name.starts_with(|first: char| first.is_lowercase() || first == '_') {
            self.names.insert(name);
        }
        visit::visit_pat_ident(self, pattern);
    }
}
