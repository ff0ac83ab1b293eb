//! Measures of lines and functions.

use srfm_structure::size::{Function, columns, functions, long_lines};

#[test]
fn columns_are_characters_outside_urls() {
    assert_eq!(columns("ω · 2 — ü"), 9);
    assert_eq!(columns("see <https://example.org/long/path> there"), 10);
}

#[test]
fn long_lines_are_numbered_and_rows_of_tables_are_exempt_in_markdown() {
    let text = "12345\n123456\n| 3456 |\n12345678\n";
    assert_eq!(long_lines(text, 5, true), [(2, 6), (4, 8)]);
    assert_eq!(long_lines(text, 5, false), [(2, 6), (3, 8), (4, 8)]);
}

#[test]
fn functions_are_measured_from_fn_to_the_closing_brace() {
    let text = "/// Text.\n#[inline]\npub fn a(\n    x: u8,\n) {\n    fn b() {}\n}\n\n\
                impl A {\n    fn c() {\n    }\n}\ntrait T {\n    fn d();\n    fn e() {\n    }\n}\n";
    let names = functions(text).unwrap().into_iter().map(|Function { name, line, lines }| (name, line, lines));
    let expected = [("a", 3, 5), ("b", 6, 1), ("c", 10, 2), ("e", 15, 2)];
    assert!(names.eq(expected.map(|(name, line, lines)| (name.to_owned(), line, lines))));
    assert!(functions("fn {").is_err());
}
