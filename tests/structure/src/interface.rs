//! The public items of a library: what other crates can name, hidden items and fields included.
//!
//! Functions, types, traits, constants, statics, modules, exported macros, public fields of structs, and public items
//! of inherent `impl` blocks count. Variants of enums and items of traits do not.

use std::collections::{BTreeMap, HashSet};

use syn::{Field, Fields, ImplItem, Item, Type, Visibility};

use crate::names::Meaning;
use crate::resolve::{Resolver, Target};
use crate::source::{Crate, plain};

/// The public items, by the top-level modules that define them; the root itself is `crate`.
pub fn public_items(krate: &Crate) -> BTreeMap<String, Vec<String>> {
    let resolver = Resolver::new(krate);
    let mut public = Public { resolver: &resolver, opened: HashSet::new(), targets: HashSet::new() };
    public.open(0);
    let macros = resolver.exported_macros().map(|(name, module)| Target::Item(module, name.to_owned()));
    public.targets.extend(macros);

    let mut items: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut add = |module: usize, name: &str| {
        let path = &krate.modules[module].path;
        let top = path.first().map_or("crate", String::as_str);
        items.entry(top.to_owned()).or_default().push(format!("{}::{name}", path.join("::")));
    };
    for target in &public.targets {
        match target {
            Target::Module(module) => add(*module, "self"),
            Target::Item(module, name) => add(*module, name),
        }
    }
    for (index, module) in krate.modules.iter().enumerate() {
        for item in &module.items {
            public.members(index, item).iter().for_each(|name| add(index, name));
        }
    }
    items.values_mut().for_each(|names| names.sort_unstable());
    items
}

/// The modules and items that other crates can name.
struct Public<'a> {
    resolver: &'a Resolver<'a>,
    /// Modules whose public names have been added.
    opened: HashSet<usize>,
    targets: HashSet<Target>,
}

impl Public<'_> {
    /// Adds all that a module makes public.
    fn open(&mut self, module: usize) {
        if !self.opened.insert(module) {
            return;
        }
        let names = self.resolver.names(module);
        for (name, meanings) in &names.single {
            for meaning in meanings.iter().filter(|name| name.public).map(|name| &name.meaning) {
                match meaning {
                    Meaning::Module(child) => self.add(Target::Module(*child)),
                    Meaning::Import(path) => {
                        self.resolver.resolve(module, path).into_iter().for_each(|target| self.add(target));
                    }
                    _ => self.add(Target::Item(module, name.clone())),
                }
            }
        }
        for glob in names.globs.iter().filter(|glob| glob.public) {
            for target in self.resolver.resolve(module, &glob.path) {
                // A glob makes the names of a module public, not the module itself.
                if let Target::Module(source) = target {
                    self.open(source);
                }
            }
        }
    }

    fn add(&mut self, target: Target) {
        if let Target::Module(module) = target {
            self.open(module);
        }
        self.targets.insert(target);
    }

    /// The public fields of a public struct, or the public items in an inherent `impl` block of a public type.
    fn members(&self, module: usize, item: &Item) -> Vec<String> {
        let is_public = |name: &syn::Ident| self.targets.contains(&Target::Item(module, plain(name)));
        match item {
            Item::Struct(item) if is_public(&item.ident) => public_fields(&item.ident, &item.fields),
            Item::Union(item) if is_public(&item.ident) => {
                public_fields(&item.ident, &Fields::Named(item.fields.clone()))
            }
            Item::Impl(block) if block.trait_.is_none() => {
                let Type::Path(path) = &*block.self_ty else { return Vec::new() };
                let path: Vec<String> = path.path.segments.iter().map(|segment| plain(&segment.ident)).collect();
                let targets = self.resolver.resolve(module, &path);
                if !targets.iter().any(|target| self.targets.contains(target)) {
                    return Vec::new();
                }
                let names = block.items.iter().filter_map(public_member);
                names.map(|name| format!("{}::{name}", path.join("::"))).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn public_fields(owner: &syn::Ident, fields: &Fields) -> Vec<String> {
    let public = fields.iter().enumerate().filter(|(_, field)| matches!(field.vis, Visibility::Public(_)));
    let name = |(index, field): (usize, &Field)| field.ident.as_ref().map_or(index.to_string(), plain);
    public.map(|field| format!("{owner}.{}", name(field))).collect()
}

fn public_member(item: &ImplItem) -> Option<String> {
    let (visibility, name) = match item {
        ImplItem::Const(item) => (&item.vis, &item.ident),
        ImplItem::Fn(item) => (&item.vis, &item.sig.ident),
        ImplItem::Type(item) => (&item.vis, &item.ident),
        _ => return None,
    };
    matches!(visibility, Visibility::Public(_)).then(|| plain(name))
}
