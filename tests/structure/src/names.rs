//! The names of every module: the items it defines, its children, its imports and its glob imports.

use std::collections::HashMap;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree, Visibility};

use crate::source::{Crate, plain};

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// A child module, by its index.
    Module(usize),
    /// A struct, union, trait or type alias: a path may go on behind it.
    Type,
    /// An enum with the names of its variants.
    Enum(Vec<String>),
    /// A function, constant or static.
    Value,
    /// A macro.
    Macro,
    /// An import, by its path.
    Import(Vec<String>),
}

/// What a name of a module stands for, and who may use it.
#[derive(Clone, Debug)]
pub struct Name {
    /// What the name stands for.
    pub meaning: Meaning,
    /// Whether other modules than those below may use the name.
    pub shared: bool,
}

/// An import of all names of a module or of all variants of an enum.
#[derive(Clone, Debug)]
pub struct Glob {
    /// The path in front of `*`.
    pub path: Vec<String>,
    /// Whether other modules than those below may use the imported names.
    pub shared: bool,
}

/// The names of a module.
#[derive(Debug, Default)]
pub struct Names {
    /// Meanings by name; a type, a value and a macro may share a name.
    pub single: HashMap<String, Vec<Name>>,
    /// Glob imports.
    pub globs: Vec<Glob>,
}

impl Names {
    /// Lists the names of all modules, in the order of the modules.
    pub fn of(krate: &Crate) -> Vec<Names> {
        let list = |index: usize| {
            let mut names = Names::default();
            for (child, module) in krate.modules.iter().enumerate() {
                if let (Some(name), true) = (module.path.last(), module.parent == Some(index)) {
                    names.add(name.clone(), Meaning::Module(child), &module.visibility);
                }
            }
            for item in &krate.modules[index].items {
                names.add_item(item);
                Inside { names: &mut names }.visit_item(item);
            }
            names
        };
        (0..krate.modules.len()).map(list).collect()
    }

    fn add(&mut self, name: String, meaning: Meaning, visibility: &Visibility) {
        self.single.entry(name).or_default().push(Name { meaning, shared: is_shared(visibility) });
    }

    fn add_item(&mut self, item: &Item) {
        match item {
            Item::Const(item) => self.add(plain(&item.ident), Meaning::Value, &item.vis),
            Item::Enum(item) => {
                let variants = item.variants.iter().map(|variant| plain(&variant.ident)).collect();
                self.add(plain(&item.ident), Meaning::Enum(variants), &item.vis);
            }
            Item::Fn(item) => self.add(plain(&item.sig.ident), Meaning::Value, &item.vis),
            Item::Macro(item) => {
                if let Some(name) = &item.ident {
                    self.add(plain(name), Meaning::Macro, &Visibility::Inherited);
                }
                for name in declared(item.mac.tokens.clone()) {
                    self.add(name, Meaning::Type, &Visibility::Public(Default::default()));
                }
            }
            Item::Static(item) => self.add(plain(&item.ident), Meaning::Value, &item.vis),
            Item::Struct(item) => self.add(plain(&item.ident), Meaning::Type, &item.vis),
            Item::Trait(item) => self.add(plain(&item.ident), Meaning::Type, &item.vis),
            Item::TraitAlias(item) => self.add(plain(&item.ident), Meaning::Type, &item.vis),
            Item::Type(item) => self.add(plain(&item.ident), Meaning::Type, &item.vis),
            Item::Union(item) => self.add(plain(&item.ident), Meaning::Type, &item.vis),
            Item::Use(item) => {
                for import in imports(item) {
                    match import.name {
                        Some(name) => self.add(name, Meaning::Import(import.path), &item.vis),
                        None => self.globs.push(Glob { path: import.path, shared: is_shared(&item.vis) }),
                    }
                }
            }
            _ => {}
        }
    }
}

/// Lists the public types that a macro of the module declares.
///
/// A type is an identifier in front of braces, either behind `pub enum` or `pub struct` in the definition of a macro,
/// or at the beginning of a row, behind its documentation, in the call of a macro that is given the name of the type.
fn declared(tokens: TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut found = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        match (token, tokens.get(place + 1)) {
            (TokenTree::Ident(name), Some(TokenTree::Group(body))) if body.delimiter() == Delimiter::Brace => {
                let before = place.checked_sub(1).map(|before| &tokens[before]);
                let is_declared = match before {
                    None => true,
                    Some(TokenTree::Ident(word)) => word == "enum" || word == "struct",
                    Some(TokenTree::Group(attribute)) => attribute.delimiter() == Delimiter::Bracket,
                    Some(_) => false,
                };
                let is_type = name.to_string().starts_with(char::is_uppercase);
                found.extend((is_declared && is_type).then(|| name.to_string()));
            }
            (TokenTree::Group(group), _) => found.extend(declared(group.stream())),
            _ => {}
        }
    }
    found
}

/// Whether a visibility reaches beyond the module and its descendants.
pub fn is_shared(visibility: &Visibility) -> bool {
    match visibility {
        Visibility::Public(_) => true,
        Visibility::Restricted(restricted) => !restricted.path.is_ident("self"),
        Visibility::Inherited => false,
    }
}

/// Whether an item carries an attribute of one word, such as `#[macro_export]`.
pub fn has_attribute(attributes: &[Attribute], word: &str) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident(word))
}

/// One name that a `use` item imports.
#[derive(Debug)]
pub struct Import {
    /// The imported path; in front of `*` for a glob.
    pub path: Vec<String>,
    /// The name in the importing module; `None` for a glob.
    pub name: Option<String>,
    /// The line of the import.
    pub line: usize,
}

/// Lists the imports of a `use` item; paths that begin with `::` belong to other crates and are left out.
pub fn imports(item: &syn::ItemUse) -> Vec<Import> {
    let mut found = Vec::new();
    if item.leading_colon.is_none() {
        flatten(&item.tree, &mut Vec::new(), &mut found);
    }
    found
}

fn flatten(tree: &UseTree, path: &mut Vec<String>, found: &mut Vec<Import>) {
    match tree {
        UseTree::Path(step) => {
            path.push(plain(&step.ident));
            flatten(&step.tree, path, found);
            path.pop();
        }
        UseTree::Name(last) => found.push(import(path, &last.ident, &last.ident)),
        UseTree::Rename(last) => found.push(import(path, &last.ident, &last.rename)),
        UseTree::Glob(star) => {
            let line = star.star_token.spans[0].start().line;
            found.push(Import { path: path.clone(), name: None, line });
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, path, found)),
    }
}

/// The import of `last` under the name `rename`; `self` stands for the path in front of it.
fn import(path: &[String], last: &syn::Ident, rename: &syn::Ident) -> Import {
    let line = last.span().start().line;
    let mut path = path.to_vec();
    let mut name = plain(rename);
    if last != "self" || path.is_empty() {
        path.push(plain(last));
    } else if rename == "self" {
        name = path.last().cloned().unwrap_or_default();
    }
    Import { path, name: Some(name), line }
}

/// Adds the items and imports inside functions to the names of their module.
struct Inside<'a> {
    names: &'a mut Names,
}

impl<'ast> Visit<'ast> for Inside<'_> {
    fn visit_stmt(&mut self, statement: &'ast syn::Stmt) {
        if let syn::Stmt::Item(item) = statement {
            self.names.add_item(item);
        }
        visit::visit_stmt(self, statement);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_macros_declare_are_names() {
        let of = |text: &str| declared(text.parse().unwrap());
        assert_eq!(of("($($row:ident;)*) => { pub enum Core { $($row),* } impl Core { fn f() {} } }"), ["Core"]);
        assert_eq!(of("#[doc = \"A format.\"] Number { F32 = 0; }"), ["Number"]);
        assert_eq!(of("first = Row { name: \"a\" };"), [""; 0]);
    }
}
