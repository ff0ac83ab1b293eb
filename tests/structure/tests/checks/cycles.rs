//! Edges and cycles of small source trees.

use srfm_structure::graph::{Edge, Graph};

use crate::crate_of;

/// The edges of a crate as `user > definition`.
fn edges(files: &[(&str, &str)]) -> Vec<String> {
    let graph = Graph::of(&crate_of(files));
    graph.edges.keys().map(|(from, to)| format!("{from} > {to}").replace("crate::", "")).collect()
}

/// The modules of all cycles of a crate.
fn cycles(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    Graph::of(&crate_of(files)).cycles().into_iter().map(|cycle| cycle.modules).collect()
}

const ROOT: (&str, &str) = ("lib.rs", "mod a; mod b; mod c;");
const C: (&str, &str) = ("c.rs", "pub struct C; pub fn c() {}");

#[test]
fn imports_form_a_cycle() {
    let files = [
        ROOT,
        C,
        ("a.rs", "use crate::b::B; pub struct A(B);"),
        ("b.rs", "use super::a::{self as x, A}; pub struct B;"),
    ];
    assert_eq!(edges(&files), ["a > b", "b > a"]);
    assert_eq!(cycles(&files), [["crate::a", "crate::b"]]);
}

#[test]
fn paths_in_code_form_a_cycle() {
    let a = "pub fn a() { crate::b::b(); }";
    let b = "use crate::a; pub fn b() { let _ = a::a(); }";
    let files = [ROOT, C, ("a.rs", a), ("b.rs", b)];
    assert_eq!(cycles(&files), [["crate::a", "crate::b"]]);
}

#[test]
fn the_tokens_of_macros_are_code() {
    let a = "pub const A: usize = 1; pub fn f() -> String { format!(\"{}\", crate::b::B) }";
    let b = "macro_rules! sum { ($x:expr) => { $x + $crate::a::A } } pub const B: usize = 2;";
    let files = [ROOT, C, ("a.rs", a), ("b.rs", b)];
    assert_eq!(cycles(&files), [["crate::a", "crate::b"]]);
}

#[test]
fn fields_methods_and_variables_are_no_items() {
    let a = "use crate::c::*; pub fn f(c: T) { c + 1; println!(\"{}\", c); g!(x.c(), T { c: 1 }, 'c) }";
    assert_eq!(edges(&[ROOT, C, ("a.rs", a), ("b.rs", "")]), [""; 0]);
    let range = "use crate::c::*; pub fn f() { g!(T { ..C }) }";
    assert_eq!(edges(&[ROOT, C, ("a.rs", range), ("b.rs", "")]), ["a > c"]);
}

#[test]
fn reexports_lead_to_the_definition() {
    let root = ("lib.rs", "mod a; mod b; mod c; pub use b::Renamed as Known;");
    let b = ("b.rs", "pub(crate) use crate::c::C as Renamed;");
    let files =
        [root, ("a.rs", "pub struct A; fn f(_: crate::Known) {}"), b, ("c.rs", "use crate::a::A; pub struct C(A);")];
    assert_eq!(edges(&files), ["a > c", "b > c", "c > a"]);
    assert_eq!(cycles(&files), [["crate::a", "crate::c"]]);
}

#[test]
fn globs_lead_to_the_definitions_that_are_used() {
    let b = ("b.rs", "pub use crate::c::*; pub struct B;");
    let files = [ROOT, ("a.rs", "use crate::b::*; pub struct A(C);"), b, ("c.rs", "pub struct C; impl crate::a::A {}")];
    assert_eq!(edges(&files), ["a > c", "b > c", "c > a"]);
    assert_eq!(cycles(&files), [["crate::a", "crate::c"]]);
    let variants = ("a.rs", "pub fn a(e: E) { use crate::b::E::*; match e { One => 1, x => 2 } }");
    assert_eq!(edges(&[ROOT, C, variants, ("b.rs", "pub enum E { One, Two }")]), ["a > b"]);
}

#[test]
fn an_impl_block_uses_the_type_that_it_extends() {
    let files = [ROOT, C, ("a.rs", "impl super::c::C { fn more(&self) {} }"), ("b.rs", "")];
    assert_eq!(edges(&files), ["a > c"]);
}

#[test]
fn attributes_name_functions_in_texts() {
    let files =
        [ROOT, C, ("a.rs", "#[derive(D)] struct A { #[serde(default = \"crate::c::c\")] x: u8 }"), ("b.rs", "")];
    assert_eq!(edges(&files), ["a > c"]);
}

#[test]
fn macros_are_items_of_their_file() {
    let root = ("lib.rs", "#[macro_use] mod a; mod b; mod c;");
    let a = ("a.rs", "macro_rules! twice { ($x:expr) => { 2 * $x } }");
    let files = [root, a, ("b.rs", "fn b() { twice!(3); }"), ("c.rs", "#[macro_export] macro_rules! out { () => {} }")];
    assert_eq!(edges(&files), ["b > a"]);
    let by_path = ("b.rs", "fn b() { crate::out!(); }");
    assert_eq!(edges(&[root, a, by_path, files[3]]), ["b > c"]);
}

#[test]
fn a_parent_may_declare_and_reexport_its_children() {
    let parent = "mod x; pub mod y; pub use x::X; pub use y::*; pub struct Own;";
    let x = "use super::Own; use super::y; pub struct X(Own, y::Y);";
    let files = [("lib.rs", "mod p;"), ("p/mod.rs", parent), ("p/x.rs", x), ("p/y.rs", "pub struct Y;")];
    assert_eq!(edges(&files), ["p::x > p", "p::x > p::y"]);
    assert_eq!(cycles(&files), Vec::<Vec<String>>::new());
}

#[test]
fn a_child_and_the_code_of_its_parent_form_a_cycle() {
    let files = [
        ("lib.rs", "mod p;"),
        ("p.rs", "mod x; pub struct Own; fn f() { x::g(); }"),
        ("p/x.rs", "pub fn g() -> super::Own {}"),
    ];
    assert_eq!(cycles(&files), [["crate::p", "crate::p::x"]]);
}

#[test]
fn folders_form_a_cycle_where_no_files_do() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a/mod.rs", "mod x; pub mod y;"),
        ("a/x.rs", "use crate::b::u::U;"),
        ("a/y.rs", "pub struct Y;"),
        ("b/mod.rs", "pub mod u; mod v;"),
        ("b/u.rs", "pub struct U;"),
        ("b/v.rs", "fn v(_: crate::a::y::Y) {}"),
    ];
    assert_eq!(cycles(&files), [["crate::a", "crate::b"]]);
}

#[test]
fn inline_modules_belong_to_their_file() {
    let b = "mod inner { use super::super::a::A; pub struct B(A); } pub use inner::B;";
    let files = [ROOT, C, ("a.rs", "pub struct A; mod inner { fn f(_: crate::b::B) {} }"), ("b.rs", b)];
    assert_eq!(cycles(&files), [["crate::a", "crate::b"]]);
}

#[test]
fn no_cycle_is_found_where_none_is() {
    let files = [
        ROOT,
        C,
        ("a.rs", "use crate::{b::B, c::C}; fn a(_: B, _: C) {}"),
        ("b.rs", "pub use crate::c::C; pub struct B;"),
    ];
    assert_eq!(edges(&files), ["a > b", "a > c", "b > c"]);
    assert_eq!(cycles(&files), Vec::<Vec<String>>::new());
}

#[test]
fn code_of_tests_does_not_count() {
    let a = "pub struct A; #[cfg(all(test, unix))] use crate::b::B; #[cfg(test)] mod tests { use crate::b::B; }";
    let b = "use crate::a::A; pub struct B; impl B { #[cfg(test)] fn f() { crate::c::c(); } }";
    assert_eq!(edges(&[ROOT, C, ("a.rs", a), ("b.rs", b)]), ["b > a"]);
    let counts = ("a.rs", "#[cfg(not(test))] use crate::c::C; #[cfg(any(test, unix))] use crate::b::B;");
    assert_eq!(edges(&[ROOT, C, counts, ("b.rs", "pub struct B;")]), ["a > b", "a > c"]);
}

#[test]
fn files_are_found_by_their_path_attributes() {
    let root = (
        "lib.rs",
        "#[path = \"x/one.rs\"] mod a; \
         #[cfg_attr(unix, path = \"two.rs\")] #[cfg_attr(windows, path = \"three.rs\")] mod b;",
    );
    let one = ("x/one.rs", "mod inner; use crate::b::f;");
    let files =
        [root, one, ("x/inner.rs", "use crate::b::g;"), ("two.rs", "pub fn f() {}"), ("three.rs", "pub fn g() {}")];
    assert_eq!(edges(&files), ["a > b", "a::inner > b"]);
}

#[test]
fn a_report_names_the_first_use_of_each_edge() {
    let a = "pub struct A;\n\nfn f() {\n    crate::b::B;\n    crate::b::B;\n}";
    let graph = Graph::of(&crate_of(&[ROOT, C, ("a.rs", a), ("b.rs", "use crate::a::A;\npub struct B;")]));
    let Edge { file, line, path, uses } = &graph.edges[&("crate::a".to_owned(), "crate::b".to_owned())];
    assert_eq!((file.to_str(), *line, path.as_str(), *uses), (Some("a.rs"), 4, "crate::b::B", 2));
    let report = graph.cycles()[0].to_string();
    assert!(report.starts_with("small: 2 modules form a cycle: crate::a, crate::b\n"), "{report}");
    assert!(report.contains("  crate::b ⇄ crate::a\n      b.rs:1  crate::a::A  (1 use)\n"), "{report}");
}

#[test]
fn paths_that_lead_nowhere_are_listed() {
    let a = "use crate::c::{C, Lost};\nuse std::fmt;\nfn f(_: C) { super::b::gone(); vec![1]; fmt::f() }";
    let graph = Graph::of(&crate_of(&[ROOT, C, ("a.rs", a), ("b.rs", "")]));
    assert_eq!(graph.unresolved, ["a.rs:1: crate::c::Lost", "a.rs:3: super::b::gone"]);
}
