//! Localization of the command definition.
//!
//! Derived code takes no arguments; a thread-local passes the language to it while it builds the definition.
//! Headings, defaults and possible values, which clap would print in English, are added as texts.

use std::cell::Cell;

use clap::builder::Styles;
use clap::{Arg, ArgAction, Command};

use crate::i18n::{BotFlag, Flag, HelpHeading, HelpTopic, Texts};

thread_local! {
    /// Texts for the definition under construction on this thread.
    static CURRENT_TEXTS: Cell<Texts> = const { Cell::new(Texts::new(crate::i18n::lang::Lang::En)) };
}

pub(super) fn texts() -> Texts {
    CURRENT_TEXTS.get()
}

pub(super) fn flag(flag: Flag) -> &'static str {
    texts().flag(flag)
}

pub(super) fn bot_flag(flag: BotFlag) -> &'static str {
    texts().bot_flag(flag)
}

pub(super) fn topic(topic: HelpTopic) -> &'static str {
    texts().topic(topic)
}

pub(super) fn heading(heading: HelpHeading) -> &'static str {
    texts().heading(heading)
}

/// Builds a definition whose derived code uses `texts`.
pub(super) fn build_with(texts: Texts, build: fn() -> Command) -> Command {
    let previous = CURRENT_TEXTS.replace(texts);
    let command = build();
    CURRENT_TEXTS.set(previous);
    command
}

/// Localizes headings, defaults and possible values of a complete definition. Must be the last step.
pub(crate) fn localize(command: Command, texts: Texts) -> Command {
    let version = Arg::new("version")
        .short('V')
        .long("version")
        .action(ArgAction::Version);
    let command = command
        .disable_version_flag(true)
        .arg(version.help(texts.flag(Flag::Version)));
    let mut command = localize_command(command, texts);
    command.build();
    let command = command.mut_subcommand("help", |help| {
        with_help_template(help.about(texts.topic(HelpTopic::Help)), texts)
    });
    localize_usage(command, texts)
}

/// Localizes a command and its subcommands.
fn localize_command(command: Command, texts: Texts) -> Command {
    let help = Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::Help);
    with_help_template(command, texts)
        .disable_help_flag(true)
        .arg(help.help(texts.flag(Flag::Help)))
        .mut_args(|argument| localize_arg(argument, texts))
        .mut_subcommands(|command| localize_command(command, texts))
}

fn with_help_template(command: Command, texts: Texts) -> Command {
    let styles = Styles::styled();
    let (style, heading) = (styles.get_usage(), texts.heading(HelpHeading::Usage));
    let [_, command_name] = texts.placeholders();
    command
        .help_template(format!(
            "{{about-with-newline}}\n{style}{heading}:{style:#} {{usage}}\n\n{{all-args}}{{after-help}}"
        ))
        // No wrapping by clap: see `help_layout`.
        .term_width(0)
        .subcommand_help_heading(texts.heading(HelpHeading::Commands))
        .subcommand_value_name(command_name)
}

/// Sets an argument's heading, and appends default, possible values and environment variable to its help.
fn localize_arg(argument: Arg, texts: Texts) -> Arg {
    let argument = match argument.get_help_heading() {
        Some(_) => argument,
        None if argument.is_positional() => {
            argument.help_heading(texts.heading(HelpHeading::Arguments))
        }
        None => argument.help_heading(texts.heading(HelpHeading::Options)),
    };
    let takes_value = matches!(argument.get_action(), ArgAction::Set | ArgAction::Append);
    if !takes_value {
        return argument;
    }
    let defaults = argument
        .get_default_values()
        .iter()
        .map(|value| value.to_string_lossy().into_owned());
    let choices = argument
        .get_possible_values()
        .into_iter()
        .map(|value| value.get_name().to_owned());
    let (defaults, choices): (Vec<_>, Vec<_>) = (defaults.collect(), choices.collect());
    let default = (!defaults.is_empty()).then(|| texts.default_value(&defaults.join(", ")));
    let choices = (!choices.is_empty()).then(|| texts.possible_values(&choices.join(", ")));
    let variable = argument
        .get_env()
        .map(|name| texts.env_variable(&name.to_string_lossy()));
    let help = argument.get_help().map(ToString::to_string);
    let help: Vec<String> = [help, default, choices, variable]
        .into_iter()
        .flatten()
        .collect();
    argument
        .help(help.join(" "))
        .hide_default_value(true)
        .hide_possible_values(true)
        .hide_env(true)
}

/// Translates the placeholders in the usage line of a command, which clap writes in English.
fn localize_usage(mut command: Command, texts: Texts) -> Command {
    let [options, _] = texts.placeholders();
    let usage = command.render_usage().ansi().to_string();
    let usage = usage
        .split_once(' ')
        .map_or(usage.as_str(), |(_, usage)| usage);
    let usage = usage.replace("[OPTIONS]", &format!("[{options}]"));
    command
        .override_usage(usage)
        .mut_subcommands(|command| localize_usage(command, texts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{definition, layout_help};
    use crate::i18n::lang::Lang;
    use unicode_width::UnicodeWidthStr;

    fn is_localized(text: Option<&clap::builder::StyledStr>) -> bool {
        text.is_some_and(|text| !text.to_string().is_ascii())
    }

    fn check(command: &Command) {
        let name = command.get_name();
        assert!(is_localized(command.get_about()), "{name} has no text");
        for argument in command.get_arguments() {
            assert!(
                is_localized(argument.get_help()),
                "{name}: {} has no text",
                argument.get_id()
            );
        }
        for subcommand in command.get_subcommands() {
            check(subcommand);
        }
    }

    #[test]
    fn every_command_and_argument_is_localized() {
        for lang in [Lang::Ru, Lang::Hans, Lang::Hant] {
            let texts = Texts::new(lang);
            let command = localize(definition(texts), texts);
            // `noughts help` repeats the texts of the subcommands; its argument belongs to clap.
            let command =
                command.mut_subcommand("help", |_| Command::new("help").about("\u{2713}"));
            check(&command);
        }
    }

    #[test]
    fn no_built_in_clap_text_remains() {
        for lang in Lang::ALL {
            let texts = Texts::new(lang);
            let mut command = localize(definition(texts), texts);
            let mut pages = vec![
                command.render_help().to_string(),
                command.render_long_help().to_string(),
            ];
            for subcommand in command.get_subcommands_mut() {
                pages.push(subcommand.render_help().to_string());
            }
            for page in pages {
                let page = layout_help(&page, 80);
                let widest = page.lines().map(UnicodeWidthStr::width).max();
                assert!(
                    widest.is_some_and(|columns| columns <= 80),
                    "{widest:?} columns: {page}"
                );
                if lang != Lang::En {
                    for english in [
                        "Usage",
                        "Options",
                        "OPTIONS",
                        "Commands",
                        "Arguments",
                        "default",
                        "possible",
                    ] {
                        assert!(!page.contains(english), "{english}: {page}");
                    }
                }
            }
        }
    }
}
