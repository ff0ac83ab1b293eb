//! Names that documents mention in a small source tree.

use std::path::Path;

use srfm_structure::map::Known;

use crate::crate_of;

fn known() -> Known {
    let root = "mod room; macro_rules! table { () => {} } pub struct Kept; impl Kept { fn measured(&self) {} }";
    let mut known = Known::default();
    known.add_crate(&crate_of(&[("lib.rs", root), ("room.rs", "pub enum Number { Int } const MOST: usize = 1;")]));
    for file in ["trainer/src/room.rs", "trainer/src/method/linear.rs", "check"] {
        known.add_file(Path::new(file));
    }
    known.add_text("env::var(\"SRFM_DATA\")");
    known
}

#[test]
fn names_of_the_tree_are_found() {
    let document = "`room`, `table!`, `Kept`, `Kept::measured`, `Number::Int`, `MOST`, `impl\nKept`\n\
                    `trainer/src/room.rs`, `trainer/src/`, `method/`, `trainer/src/method/NAME.rs`, `room.rs`\n\
                    `./check`, `SRFM_DATA=x ./check --all`, `cargo run -p small -- TABLE`\n\
                    `+`, `small → f32`, `<!-- no -->`\n\
                    ```sh\n`gone`\n```\ngone\n";
    assert_eq!(known().missing(document), []);
}

#[test]
fn names_that_are_gone_are_listed_with_their_lines() {
    let missing = |document: &str| known().missing(document);
    let listed = |line: usize, name: &str| [(line, name.to_owned())];
    assert_eq!(missing("a `room\nKept`\n`for_each_kernel`"), listed(3, "for_each_kernel"));
    assert_eq!(missing("`lost!` and `Kept`"), listed(1, "lost!"));
    assert_eq!(missing("`Kept::gone`"), listed(1, "Kept::gone"));
    assert_eq!(missing("`trainer/src/gone.rs`"), listed(1, "trainer/src/gone.rs"));
    assert_eq!(missing("`trainer/src/gone/NAME.rs`"), listed(1, "trainer/src/gone/NAME.rs"));
    assert_eq!(missing("`SRFM_GONE`"), listed(1, "SRFM_GONE"));
    assert_eq!(missing("`cargo run -p gone`"), listed(1, "gone"));
}
