//! Names in C: of the model, and of its inputs.

use std::collections::HashSet;

/// The keywords of C and C++ that a name could be.
const KEYWORDS: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "asm",
    "auto",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "concept",
    "const",
    "constexpr",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "nullptr",
    "operator",
    "or",
    "private",
    "protected",
    "public",
    "register",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "template",
    "this",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "while",
    "xor",
];

/// Returns whether a name can begin the names of functions and types: a C identifier of ASCII letters, digits and
/// underscores that starts with a letter.
pub(super) fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns whether a name is reserved in C or C++.
pub(super) fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name)
}

/// Returns the constants of an enumeration for texts: letters and digits in upper case, each different from the others.
pub(in crate::export) fn constants(texts: &[String]) -> Vec<String> {
    let mut seen = HashSet::new();
    let constant = |text: &String| {
        let plain: String =
            text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
        let plain = plain.split('_').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_");
        let plain = if plain.is_empty() { "X".to_owned() } else { plain };
        let mut unique = plain.clone();
        let mut number = 2;
        while !seen.insert(unique.clone()) {
            unique = format!("{plain}_{number}");
            number += 1;
        }
        unique
    };
    texts.iter().map(constant).collect()
}
