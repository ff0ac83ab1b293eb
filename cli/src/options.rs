//! Library errors name settings in backticks; the command replaces them by its options.

/// Settings whose options have other names.
const RENAMED: [(&str, &str); 2] = [("features", "max-features"), ("features", "sizes")];

/// The long options of a subcommand.
pub struct Options(Vec<String>);

impl Options {
    /// Returns the options of the subcommand with these arguments.
    pub fn of<A: clap::Args>() -> Options {
        let command = A::augment_args(clap::Command::new("srfm"));
        Options(command.get_arguments().filter_map(|argument| argument.get_long()).map(str::to_owned).collect())
    }

    /// Replaces settings in backticks by options. Settings without an option keep their names.
    pub fn name_in(&self, message: &str) -> String {
        let mut parts = message.split('`');
        let mut text = parts.next().unwrap_or_default().to_owned();
        while let (Some(setting), rest) = (parts.next(), parts.next()) {
            match (self.option(setting), rest) {
                (Some(option), Some(rest)) => {
                    // "set `number` to int" becomes "set --number int".
                    let rest = rest.strip_prefix(" to").filter(|rest| rest.starts_with(' ')).unwrap_or(rest);
                    text += &format!("--{option}{rest}");
                }
                (None, Some(rest)) => text += &format!("`{setting}`{rest}"),
                (_, None) => text += &format!("`{setting}"),
            }
        }
        text
    }

    /// Returns the option of a setting.
    fn option(&self, setting: &str) -> Option<&String> {
        let renamed = RENAMED.into_iter().filter(|(other, _)| *other == setting).map(|(_, option)| option.to_owned());
        let names: Vec<String> = renamed.chain([setting.replace('_', "-")]).collect();
        self.0.iter().find(|option| names.contains(option))
    }
}

#[cfg(test)]
mod tests {
    use super::Options;

    #[test]
    fn settings_with_options_become_options() {
        let options = Options(["max-features", "number", "max-error"].map(str::to_owned).to_vec());
        for (message, expected) in [
            ("lower `features`, or raise `max_error`", "lower --max-features, or raise --max-error"),
            ("set `number` to int, or raise `lambda`", "set --number int, or raise `lambda`"),
            ("run `rustup target add x`", "run `rustup target add x`"),
            ("`features`", "--max-features"),
            ("one ` alone", "one ` alone"),
            ("", ""),
        ] {
            assert_eq!(options.name_in(message), expected);
        }
        assert_eq!(Options(vec!["sizes".to_owned()]).name_in("lower `features`"), "lower --sizes");
    }
}
