//! Messages of the library name settings; the command writes them as its options.

use srfm_trainer::message::{Message, Setting, Written};

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

    /// Returns the text of a message. Settings without an option keep the names of the library.
    pub fn render(&self, message: &Message) -> String {
        message.render(|setting| self.write(setting))
    }

    /// Returns whether the message names a setting that has an option here.
    pub fn has_any_in(&self, message: &Message) -> bool {
        message.settings().into_iter().any(|setting| self.option(setting.path()).is_some())
    }

    fn write(&self, setting: &Setting) -> Written {
        match (self.option(setting.path()), setting.value()) {
            (Some(option), Some(value)) => Written::As(format!("--{option} {value}")),
            (Some(option), None) => Written::As(format!("--{option}")),
            (None, _) => Written::Plain,
        }
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
    use srfm_trainer::message::Message;
    use srfm_trainer::message::setting::{FEATURES, LAMBDA, MAX_ERROR, NUMBER};

    use super::Options;

    #[test]
    fn settings_with_options_become_options() {
        let options = Options(["max-features", "number", "max-error"].map(str::to_owned).to_vec());
        let budget = Message::from("lower ").and(FEATURES).and(", or raise ").and(MAX_ERROR);
        let number = Message::from("set ").and(NUMBER.to("int")).and(", or raise ").and(LAMBDA);
        let shell = Message::from("run `rustup target add x` for the `number`");
        for (message, expected, has_any) in [
            (budget.clone(), "lower --max-features, or raise --max-error", true),
            (number, "set --number int, or raise `lambda`", true),
            (shell, "run `rustup target add x` for the `number`", false),
            (LAMBDA.into(), "`lambda`", false),
            (Message::default(), "", false),
        ] {
            assert_eq!(options.render(&message), expected);
            assert_eq!(options.has_any_in(&message), has_any, "{message}");
        }
        assert_eq!(Options(vec!["sizes".to_owned()]).render(&budget), "lower --sizes, or raise `max_error`");
    }
}
