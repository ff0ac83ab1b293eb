//! Paths in the tokens of macros, which have no syntax tree.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

use crate::source::plain;

/// A path among tokens.
#[derive(Debug, PartialEq, Eq)]
pub struct TokenPath {
    /// The names of the path.
    pub path: Vec<String>,
    /// The line of its first name.
    pub line: usize,
    /// Whether `!` and a delimiter follow: the path names a macro.
    pub is_macro: bool,
}

/// Lists the paths among tokens: `a::b` and single names, but neither fields nor methods nor lifetimes.
pub fn paths(tokens: TokenStream) -> Vec<TokenPath> {
    let mut found = Vec::new();
    collect(tokens, &mut found);
    found
}

fn collect(tokens: TokenStream, found: &mut Vec<TokenPath>) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < trees.len() {
        match &trees[at] {
            TokenTree::Group(group) => {
                collect(group.stream(), found);
                at += 1;
            }
            TokenTree::Ident(first) => {
                let (line, mut path, mut end) = (first.span().start().line, vec![plain(first)], at + 1);
                while let (true, Some(TokenTree::Ident(next))) = (is_path_separator(&trees, end), trees.get(end + 2)) {
                    path.push(plain(next));
                    end += 3;
                }
                let is_macro = is_call_of_macro(&trees, end);
                if begins_path(&trees, at, &path) && (path.len() > 1 || !is_field(&trees, end)) {
                    found.push(TokenPath { path, line, is_macro });
                }
                at = end;
            }
            _ => at += 1,
        }
    }
}

fn is_punct(trees: &[TokenTree], at: usize, sign: char) -> bool {
    matches!(trees.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

/// Whether `::` stands at a position.
fn is_path_separator(trees: &[TokenTree], at: usize) -> bool {
    let joint = matches!(trees.get(at), Some(TokenTree::Punct(punct)) if punct.spacing() == Spacing::Joint);
    joint && is_punct(trees, at, ':') && is_punct(trees, at + 1, ':')
}

/// Whether the name before `end` is that of a field with its value or type.
fn is_field(trees: &[TokenTree], end: usize) -> bool {
    is_punct(trees, end, ':') && !is_path_separator(trees, end)
}

fn is_call_of_macro(trees: &[TokenTree], end: usize) -> bool {
    let delimited = matches!(trees.get(end + 1), Some(TokenTree::Group(group)) if group.delimiter() != Delimiter::None);
    is_punct(trees, end, '!') && delimited
}

/// Whether a path may begin at a name: no field, lifetime, macro variable or rest of a longer path.
fn begins_path(trees: &[TokenTree], at: usize, path: &[String]) -> bool {
    let before = |steps: usize, sign: char| at >= steps && is_punct(trees, at - steps, sign);
    if before(1, '$') {
        return path[0] == "crate";
    }
    let range = before(1, '.') && before(2, '.');
    let rest = before(1, ':') && before(2, ':');
    !(before(1, '\'') || before(1, '.') && !range || rest)
}
