//! Wrong usage in one line, and the values of options that begin with a minus.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Returns the program and the first argument that names a subcommand: `srfm fit`.
pub fn command_of(args: &[OsString], subcommands: &[&str]) -> String {
    let named = args.iter().skip(1).find_map(|word| subcommands.iter().find(|name| word == **name));
    named.map_or("srfm".to_owned(), |name| format!("srfm {name}"))
}

/// Joins options and values that begin with a minus, such as `--time -5` to `--time=-5`, which the parser would take
/// for an option.
pub fn joined(args: &[OsString]) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    let mut only_values = false;
    for word in args {
        let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let negative = word.to_str().and_then(|text| text.strip_prefix('-')).is_some_and(is_number);
        match joined.last_mut() {
            Some(option) if negative && !only_values && is_bare_option(option) => {
                option.push("=");
                option.push(word);
            }
            _ => joined.push(word.clone()),
        }
        only_values |= word == "--";
    }
    joined
}

/// Returns whether a word is a long option without a value.
fn is_bare_option(word: &OsString) -> bool {
    word.to_str().is_some_and(|text| text.len() > 2 && text.starts_with("--") && !text.contains('='))
}

/// Prints the error of the parser in one line and returns the exit code. Help and versions are printed as they are.
///
/// `command` is the command whose help is named.
pub fn report(error: &clap::Error, command: &str) -> u8 {
    let texts = [ErrorKind::DisplayHelp, ErrorKind::DisplayVersion];
    if texts.contains(&error.kind()) || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // Where nobody reads the text, it is lost.
        let _ = error.print();
        return error.exit_code() as u8;
    }
    say!("srfm: {} (see {} --help)", sentence(error), command);
    2
}

/// Returns the error in one line, with the values or options that may be meant.
fn sentence(error: &clap::Error) -> String {
    let text = error.to_string();
    let ends = |line: &&str| line.starts_with("Usage:") || line.starts_with("For more information");
    let lines = text.lines().map(str::trim).take_while(|line| !ends(line)).filter(|line| !line.is_empty());
    let mut sentence = String::new();
    for line in lines {
        let line = line.strip_prefix("error: ").unwrap_or(line);
        if let Some(tip) = line.strip_prefix("tip: ") {
            sentence += &format!("; {tip}");
        } else if sentence.is_empty() || sentence.ends_with(':') || line.starts_with('[') {
            sentence += if sentence.is_empty() { "" } else { " " };
            sentence += line;
        } else {
            sentence += &format!(", {line}");
        }
    }
    for (of_parser, advice) in [
        ("invalid float literal", "give a number such as 0.25"),
        ("cannot parse float from empty string", "give a number such as 0.25"),
        ("invalid digit found in string", "give a whole number without a sign, such as 20"),
        ("cannot parse integer from empty string", "give a whole number without a sign, such as 20"),
        ("number too large to fit in target type", "give a smaller number"),
        ("number too small to fit in target type", "give a larger number"),
    ] {
        sentence = sentence.replace(of_parser, advice);
    }
    sentence = with_range(&sentence).unwrap_or(sentence);
    let part = part_of_a_value(error).filter(|_| !sentence.contains("similar value"));
    sentence + &part.map_or(String::new(), |value| format!("; did you mean '{value}'?"))
}

/// The largest numbers of types, which are no limits of a setting.
const LARGEST: [u64; 3] = [u32::MAX as u64, i64::MAX as u64, u64::MAX];

/// Replaces a range such as `0 is not in 1..=9` at the end of a sentence by `give a number from 1 to 9`.
fn with_range(sentence: &str) -> Option<String> {
    let (head, range) = sentence.rsplit_once(" is not in ")?;
    let (head, value) = head.rsplit_once(' ')?;
    let (low, high) = range.split_once("..")?;
    let number = |text: &str| text.parse::<i128>().ok();
    let (value, low, high) = (number(value)?, number(low)?, number(high.trim_start_matches('='))?);
    let is_open = value < low && LARGEST.iter().any(|&largest| i128::from(largest) == high);
    Some(match is_open {
        true => format!("{head} give a number of at least {low}"),
        false => format!("{head} give a number from {low} to {high}"),
    })
}

/// Returns the first possible value that contains the invalid one, such as `cortex-m4f` for `m4`.
fn part_of_a_value(error: &clap::Error) -> Option<&str> {
    let (Some(ContextValue::String(given)), Some(ContextValue::Strings(values))) =
        (error.get(ContextKind::InvalidValue), error.get(ContextKind::ValidValue))
    else {
        return None;
    };
    let given = given.to_lowercase();
    values.iter().map(String::as_str).find(|value| given.len() > 1 && value.contains(&given))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_values_belong_to_the_option_before_them() {
        for (given, expected) in [
            ("srfm fit --time -5 d.csv", "srfm fit --time=-5 d.csv"),
            ("srfm fit --scale -.5,1 -o -5.srfm", "srfm fit --scale=-.5,1 -o -5.srfm"),
            ("srfm fit --json -q --seed=3 -1", "srfm fit --json -q --seed=3 -1"),
            ("srfm fit -- --seed -1", "srfm fit -- --seed -1"),
            ("srfm -1", "srfm -1"),
        ] {
            let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
            assert_eq!(joined(&words(given)), words(expected), "{given}");
        }
    }
}
