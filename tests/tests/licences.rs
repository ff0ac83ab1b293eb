//! Every dependency has a licence that `deny.toml` allows, and comes from crates.io.

use std::collections::HashSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The workspaces of the repository. Those below the first are not members of it.
const WORKSPACES: [&str; 6] = [
    "Cargo.toml",
    "boards/nrf52840-dk/Cargo.toml",
    "boards/pico/Cargo.toml",
    "firmware-example/Cargo.toml",
    "firmware-example/measure/Cargo.toml",
    "runtime/c/Cargo.toml",
];

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The tokens after an expression, and whether the expression is satisfied; none where it is malformed.
type Parsed<'a> = Option<(bool, &'a [&'a str])>;

/// Whether an SPDX expression can be satisfied by allowed licences alone. `/` is an older way to write `OR`.
fn permitted(expression: &str, allowed: &HashSet<String>) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    either(&tokens, allowed).is_some_and(|(value, rest)| value && rest.is_empty())
}

/// Parts that are joined by `OR`.
fn either<'a>(tokens: &'a [&'a str], allowed: &HashSet<String>) -> Parsed<'a> {
    let (mut value, mut rest) = both(tokens, allowed)?;
    while let ["OR", others @ ..] = rest {
        let (other, after) = both(others, allowed)?;
        (value, rest) = (value | other, after);
    }
    Some((value, rest))
}

/// Parts that are joined by `AND`, which binds tighter.
fn both<'a>(tokens: &'a [&'a str], allowed: &HashSet<String>) -> Parsed<'a> {
    let (mut value, mut rest) = licence(tokens, allowed)?;
    while let ["AND", others @ ..] = rest {
        let (other, after) = licence(others, allowed)?;
        (value, rest) = (value & other, after);
    }
    Some((value, rest))
}

/// A licence, perhaps with an exception, or an expression in parentheses.
fn licence<'a>(tokens: &'a [&'a str], allowed: &HashSet<String>) -> Parsed<'a> {
    match tokens {
        ["(", inner @ ..] => {
            let (value, rest) = either(inner, allowed)?;
            Some((value, rest.strip_prefix(&[")"])?))
        }
        [name, "WITH", exception, rest @ ..] => Some((allowed.contains(&format!("{name} WITH {exception}")), rest)),
        [name, rest @ ..] => Some((allowed.contains(*name), rest)),
        [] => None,
    }
}

/// The licences that `deny.toml` allows.
fn allowed() -> HashSet<String> {
    let text = std::fs::read_to_string(root().join("deny.toml")).unwrap();
    let table: toml::Table = toml::from_str(&text).unwrap();
    let list = table["licenses"]["allow"].as_array().unwrap();
    list.iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_dependency_has_an_allowed_licence() {
    let allowed = allowed();
    for workspace in WORKSPACES {
        let arguments = ["metadata", "--format-version=1", "--locked", "--manifest-path"];
        let output = Command::new(env!("CARGO")).args(arguments).arg(root().join(workspace)).output().unwrap();
        assert!(output.status.success(), "{workspace}: {}", String::from_utf8_lossy(&output.stderr));
        let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
        let packages = metadata["packages"].as_array().unwrap();
        assert!(packages.len() > 2, "{workspace}");
        for package in packages {
            let (name, licence) = (&package["name"], package["license"].as_str().unwrap_or_default());
            assert!(permitted(licence, &allowed), "{workspace}: {name} has the licence {licence:?}");
            assert!(package["source"].as_str().is_none_or(|source| source == CRATES_IO), "{workspace}: {name}");
        }
    }
}

#[test]
fn expressions_are_read_as_spdx_means_them() {
    let allowed = HashSet::from(["MIT".to_owned(), "Zlib".to_owned()]);
    for permitted_one in ["MIT", "GPL-3.0 OR MIT", "GPL-3.0/MIT", "(GPL-3.0 OR MIT) AND Zlib", "GPL-3.0 AND X OR Zlib"]
    {
        assert!(permitted(permitted_one, &allowed), "{permitted_one}");
    }
    for refused in
        ["", "GPL-3.0", "MIT AND GPL-3.0", "MIT WITH X", "(MIT", "MIT OR", "MIT Zlib", "(GPL-3.0 OR X) AND MIT"]
    {
        assert!(!permitted(refused, &allowed), "{refused}");
    }
}
