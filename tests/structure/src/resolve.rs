//! Finds the module that defines the item of a path, through imports, re-exports and globs.

use std::collections::HashMap;

use crate::names::{Meaning, Name, Names, has_attribute};
use crate::source::{Crate, plain};

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A module of the crate.
    Module(usize),
    /// An item with the module that defines it and its name there.
    Item(usize, String),
}

/// Resolves the paths of one crate.
pub struct Resolver<'a> {
    krate: &'a Crate,
    names: Vec<Names>,
    /// Modules by the names of the macros that they define.
    macros: HashMap<String, usize>,
    /// Macros with `#[macro_export]`, which are names of the root.
    exported: Vec<String>,
}

/// The imports and globs that lead to a name, so that a ring of imports comes to an end.
type Trail = Vec<(usize, usize, String)>;

impl<'a> Resolver<'a> {
    /// Prepares the names of a crate.
    pub fn new(krate: &'a Crate) -> Resolver<'a> {
        let (mut macros, mut exported) = (HashMap::new(), Vec::new());
        for (index, module) in krate.modules.iter().enumerate() {
            for item in &module.items {
                if let syn::Item::Macro(syn::ItemMacro { ident: Some(name), attrs, .. }) = item {
                    macros.insert(plain(name), index);
                    if has_attribute(attrs, "macro_export") {
                        exported.push(plain(name));
                    }
                }
            }
        }
        Resolver { krate, names: Names::of(krate), macros, exported }
    }

    /// What `path` means in the module `from`; empty for paths of other crates and for local variables.
    pub fn resolve(&self, from: usize, path: &[String]) -> Vec<Target> {
        self.walk(from, path, &mut Trail::new())
    }

    /// The module that defines the macro `name`, which modules below its definition see without an import.
    pub fn textual_macro(&self, name: &str) -> Option<usize> {
        self.macros.get(name).copied()
    }

    fn walk(&self, from: usize, path: &[String], trail: &mut Trail) -> Vec<Target> {
        let Some((first, rest)) = path.split_first() else { return Vec::new() };
        let mut targets = match first.as_str() {
            "crate" => vec![Target::Module(0)],
            "self" => vec![Target::Module(from)],
            "super" => self.krate.modules[from].parent.map(Target::Module).into_iter().collect(),
            name => self.look_up(from, name, from, trail),
        };
        for name in rest {
            let step = |target: Target| match target {
                Target::Module(module) if name == "super" => {
                    self.krate.modules[module].parent.map(Target::Module).into_iter().collect()
                }
                Target::Module(module) => self.look_up(module, name, from, trail),
                Target::Item(module, ref item) if self.is_type(module, item) => vec![target],
                Target::Item(..) => Vec::new(),
            };
            targets = targets.into_iter().flat_map(step).collect();
        }
        targets
    }

    /// What a name of a module means to the module `from`.
    fn look_up(&self, module: usize, name: &str, from: usize, trail: &mut Trail) -> Vec<Target> {
        let mut targets = Vec::new();
        let meanings = self.names[module].single.get(name).map_or(&[][..], Vec::as_slice);
        for (index, Name { meaning, shared }) in meanings.iter().enumerate() {
            if !shared && !self.krate.is_within(from, module) {
                continue;
            }
            match meaning {
                Meaning::Module(child) => targets.push(Target::Module(*child)),
                Meaning::Import(path) => {
                    self.follow(trail, (module, index, name.to_owned()), |trail| {
                        targets.extend(self.walk(module, path, trail));
                    });
                }
                _ => targets.push(Target::Item(module, name.to_owned())),
            }
        }
        if module == 0 && self.exported.iter().any(|exported| exported == name) {
            targets.extend(self.macros.get(name).map(|&module| Target::Item(module, name.to_owned())));
        }
        if targets.is_empty() { self.look_up_in_globs(module, name, from, trail) } else { targets }
    }

    fn look_up_in_globs(&self, module: usize, name: &str, from: usize, trail: &mut Trail) -> Vec<Target> {
        let mut targets = Vec::new();
        for (index, glob) in self.names[module].globs.iter().enumerate() {
            if !glob.shared && !self.krate.is_within(from, module) {
                continue;
            }
            self.follow(trail, (module, index, format!("{name}*")), |trail| {
                for target in self.walk(module, &glob.path, trail) {
                    match target {
                        Target::Module(source) => targets.extend(self.look_up(source, name, module, trail)),
                        Target::Item(source, item) if self.is_variant(source, &item, name) => {
                            targets.push(Target::Item(source, item));
                        }
                        Target::Item(..) => {}
                    }
                }
            });
        }
        targets
    }

    /// Does `then` with a step added to the trail, unless the trail has that step already.
    fn follow(&self, trail: &mut Trail, step: (usize, usize, String), then: impl FnOnce(&mut Trail)) {
        if !trail.contains(&step) {
            trail.push(step);
            then(trail);
            trail.pop();
        }
    }

    fn is_type(&self, module: usize, item: &str) -> bool {
        let is_type = |name: &Name| matches!(name.meaning, Meaning::Type | Meaning::Enum(_));
        self.names[module].single.get(item).is_some_and(|names| names.iter().any(is_type))
    }

    fn is_variant(&self, module: usize, item: &str, variant: &str) -> bool {
        let has =
            |name: &Name| matches!(&name.meaning, Meaning::Enum(variants) if variants.iter().any(|v| v == variant));
        self.names[module].single.get(item).is_some_and(|names| names.iter().any(has))
    }
}
