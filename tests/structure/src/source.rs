//! The modules of a crate, read from its source files without the code of unit tests.

use std::error::Error;
use std::path::{Path, PathBuf};

use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, ImplItem, Item, Meta, Stmt, Token, TraitItem, Visibility};

/// A module: a file or an inline module in a file.
pub struct Module {
    /// Names from the root of the crate; empty for the root itself.
    pub path: Vec<String>,
    /// The file that holds the module.
    pub file: PathBuf,
    /// The index of the parent module.
    pub parent: Option<usize>,
    /// Whether the module is written inside the file of its parent.
    pub inline: bool,
    /// The visibility of the declaration.
    pub visibility: Visibility,
    /// The items, without modules and without code that only tests compile.
    pub items: Vec<Item>,
}

/// A crate: a library, a binary, a test, a benchmark or a build script.
pub struct Crate {
    /// The name of the package and of the target.
    pub name: String,
    /// All modules; the first one is the root.
    pub modules: Vec<Module>,
}

impl Crate {
    /// Reads the crate whose root is the file `root`; `read` returns the text of a file.
    ///
    /// # Errors
    /// A file that is missing or that is not Rust.
    pub fn read(
        name: &str,
        root: &Path,
        read: &dyn Fn(&Path) -> std::io::Result<String>,
    ) -> Result<Crate, Box<dyn Error>> {
        let mut krate = Crate { name: name.to_owned(), modules: Vec::new() };
        let folder = parent(root);
        let public = Visibility::Public(Default::default());
        let position = Position { path: Vec::new(), parent: None, visibility: public };
        krate.add_file(root, &folder, position, read)?;
        Ok(krate)
    }

    /// The index of the file's own module for a module that may be inline.
    pub fn file_module(&self, mut module: usize) -> usize {
        while let (true, Some(parent)) = (self.modules[module].inline, self.modules[module].parent) {
            module = parent;
        }
        module
    }

    /// Whether `module` is `ancestor` or lies below it.
    pub fn is_within(&self, module: usize, ancestor: usize) -> bool {
        self.modules[module].path.starts_with(&self.modules[ancestor].path)
    }

    /// Adds the module of a file; `folder` holds the files of its children.
    fn add_file(&mut self, file: &Path, folder: &Path, position: Position, read: &Read) -> Result<(), Box<dyn Error>> {
        let text = read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let located = |error: syn::Error| format!("{}:{}: {error}", file.display(), error.span().start().line);
        let mut tree = syn::parse_file(&text).map_err(located)?;
        WithoutTests.visit_file_mut(&mut tree);
        self.add(file, folder, position, tree.items, false, read)
    }

    /// Adds a module and then its children.
    fn add(
        &mut self,
        file: &Path,
        folder: &Path,
        position: Position,
        items: Vec<Item>,
        inline: bool,
        read: &Read,
    ) -> Result<(), Box<dyn Error>> {
        let Position { path, parent: above, visibility } = position;
        let index = self.modules.len();
        let (children, items) = items.into_iter().partition(|item| matches!(item, Item::Mod(_)));
        self.modules.push(Module {
            path: path.clone(),
            file: file.to_owned(),
            parent: above,
            inline,
            visibility,
            items,
        });
        for child in Vec::<Item>::into_iter(children) {
            let Item::Mod(child) = child else { continue };
            let name = plain(&child.ident);
            let path = path.iter().cloned().chain([name.clone()]).collect();
            let position = Position { path, parent: Some(index), visibility: child.vis };
            if let Some((_, items)) = child.content {
                self.add(file, &folder.join(&name), position, items, true, read)?;
                continue;
            }
            let base = if inline { folder.to_owned() } else { parent(file) };
            let files: Vec<PathBuf> = child.attrs.iter().flat_map(named_files).map(|path| base.join(path)).collect();
            for file in &files {
                self.add_file(file, &parent(file), position.clone(), read)?;
            }
            if files.is_empty() {
                let (flat, nested) = (folder.join(format!("{name}.rs")), folder.join(&name).join("mod.rs"));
                let file = if read(&flat).is_ok() { flat } else { nested };
                self.add_file(&file, &folder.join(&name), position, read)?;
            }
        }
        Ok(())
    }
}

/// Returns the text of a file.
type Read<'a> = dyn Fn(&Path) -> std::io::Result<String> + 'a;

/// Where a module stands in its crate.
#[derive(Clone)]
struct Position {
    path: Vec<String>,
    parent: Option<usize>,
    visibility: Visibility,
}

/// The text of an identifier without the prefix `r#`.
pub fn plain(ident: &proc_macro2::Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").map(str::to_owned).unwrap_or(text)
}

fn parent(file: &Path) -> PathBuf {
    file.parent().map(Path::to_owned).unwrap_or_default()
}

/// The files that an attribute names: one in `#[path = "…"]`, any number in `#[cfg_attr(…, path = "…")]`.
fn named_files(attribute: &Attribute) -> Vec<String> {
    let parts = match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg_attr") => list.parse_args_with(Punctuated::parse_terminated),
        meta => Ok(Punctuated::<Meta, Token![,]>::from_iter([meta.clone()])),
    };
    let file = |meta: Meta| match meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    };
    parts.unwrap_or_default().into_iter().filter_map(file).collect()
}

/// Removes items and statements under `#[cfg(test)]`.
struct WithoutTests;

impl VisitMut for WithoutTests {
    fn visit_file_mut(&mut self, file: &mut syn::File) {
        let tests = file.attrs.iter().any(is_cfg_test);
        file.items.retain(|item| !tests && !item_attributes(item).iter().any(is_cfg_test));
        visit_mut::visit_file_mut(self, file);
    }

    fn visit_item_mod_mut(&mut self, module: &mut syn::ItemMod) {
        if let Some((_, items)) = &mut module.content {
            items.retain(|item| !item_attributes(item).iter().any(is_cfg_test));
        }
        visit_mut::visit_item_mod_mut(self, module);
    }

    fn visit_item_impl_mut(&mut self, block: &mut syn::ItemImpl) {
        block.items.retain(|item| match item {
            ImplItem::Const(item) => !item.attrs.iter().any(is_cfg_test),
            ImplItem::Fn(item) => !item.attrs.iter().any(is_cfg_test),
            ImplItem::Type(item) => !item.attrs.iter().any(is_cfg_test),
            _ => true,
        });
        visit_mut::visit_item_impl_mut(self, block);
    }

    fn visit_item_trait_mut(&mut self, item: &mut syn::ItemTrait) {
        item.items.retain(|item| match item {
            TraitItem::Const(item) => !item.attrs.iter().any(is_cfg_test),
            TraitItem::Fn(item) => !item.attrs.iter().any(is_cfg_test),
            _ => true,
        });
        visit_mut::visit_item_trait_mut(self, item);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        block.stmts.retain(|statement| match statement {
            Stmt::Local(local) => !local.attrs.iter().any(is_cfg_test),
            Stmt::Item(item) => !item_attributes(item).iter().any(is_cfg_test),
            Stmt::Macro(call) => !call.attrs.iter().any(is_cfg_test),
            Stmt::Expr(..) => true,
        });
        visit_mut::visit_block_mut(self, block);
    }
}

/// The attributes of an item.
fn item_attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Whether an attribute removes its item from all builds except those of tests.
fn is_cfg_test(attribute: &Attribute) -> bool {
    match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => list.parse_args::<Meta>().is_ok_and(|meta| needs_test(&meta)),
        _ => false,
    }
}

/// Whether a condition holds in tests alone.
fn needs_test(condition: &Meta) -> bool {
    match condition {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) => {
            let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).unwrap_or_default();
            match list.path.get_ident().map(ToString::to_string).as_deref() {
                Some("all") => parts.iter().any(needs_test),
                Some("any") => !parts.is_empty() && parts.iter().all(needs_test),
                _ => false,
            }
        }
        Meta::NameValue(_) => false,
    }
}
