//! Public items of small source trees.

use srfm_structure::interface::public_items;

use crate::crate_of;

/// The counts by top-level modules, as `module: count`.
fn counts(files: &[(&str, &str)]) -> Vec<String> {
    public_items(&crate_of(files)).into_iter().map(|(module, items)| format!("{module}: {}", items.len())).collect()
}

#[test]
fn items_members_and_fields_count() {
    let root = "pub struct S { pub x: u8, y: u8, pub(crate) z: u8 } \
                impl S { pub fn new() -> S {} pub const C: u8 = 1; fn hidden() {} } \
                impl Clone for S { fn clone(&self) -> S {} } \
                pub enum E { One, Two(u8) } pub trait T { fn t(); } pub type A = u8; \
                #[doc(hidden)] pub fn f() {} pub(crate) fn g() {} pub static Z: u8 = 1; struct Own { pub x: u8 }";
    // S, x, new, C, E, T, A, f, Z
    assert_eq!(counts(&[("lib.rs", root)]), ["crate: 9"]);
}

#[test]
fn items_of_private_modules_count_once_where_they_are_reexported() {
    let root = ("lib.rs", "mod a; pub mod b; pub use a::{A, A as Again}; pub use b::*;");
    let a = ("a.rs", "pub struct A(pub u8); impl A { pub fn f() {} } pub struct Unseen(pub u8);");
    // A, its field and f; the module b, B and the macro
    let b = ("b.rs", "pub struct B; #[macro_export] macro_rules! m { () => {} } mod c { pub fn c() {} }");
    assert_eq!(counts(&[root, a, b]), ["a: 3", "b: 3"]);
    let glob = ("lib.rs", "mod a; mod b; pub use a::*;");
    // A, its field, f, Unseen and its field; the macro
    assert_eq!(counts(&[glob, a, b]), ["a: 5", "b: 1"]);
}

#[test]
fn impl_blocks_count_in_their_own_module() {
    let root = ("lib.rs", "pub mod a; mod b;");
    let files = [
        root,
        ("a.rs", "pub struct A;"),
        ("b.rs", "use crate::a::A; impl A { pub fn f() {} } #[cfg(test)] impl A { pub fn t() {} }"),
    ];
    assert_eq!(counts(&files), ["a: 2", "b: 1"]);
}
