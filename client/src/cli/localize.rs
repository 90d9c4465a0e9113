//! Localization of the command definition.
//!
//! The derived definition has no texts. The texts of commands and arguments are found by their names. Headings,
//! defaults and possible values, which clap would print in English, are added as texts.

use clap::builder::Styles;
use clap::{Arg, ArgAction, Command};

use crate::i18n::Texts;

/// Localizes the headings, defaults and possible values of a complete definition. This must be the last step.
pub(super) fn localize(command: Command, texts: Texts) -> Command {
    let version = Arg::new("version")
        .short('V')
        .long("version")
        .action(ArgAction::Version);
    let command = command
        .disable_version_flag(true)
        .arg(version)
        .about(texts.about())
        .long_about(format!("{}\n\n{}", texts.about(), texts.about_home()))
        .after_help(texts.after_help());
    let mut command = localize_command(command, texts);
    command.build();
    let command = command.mut_subcommand("help", |help| {
        with_help_template(help.about(texts.command("help")), texts)
    });
    localize_usage(command, texts)
}

/// Localizes a command and its subcommands.
fn localize_command(command: Command, texts: Texts) -> Command {
    let help = Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::Help);
    let name = command.get_name().to_owned();
    let options = match command.has_subcommands() {
        true => texts.heading_global_options(),
        false => texts.heading_options(),
    };
    with_help_template(command, texts)
        .disable_help_flag(true)
        .arg(help)
        .mut_args(|argument| localize_arg(&name, options, argument, texts))
        .mut_subcommands(|command| {
            let about = texts.command(command.get_name());
            localize_command(command.about(about).long_about(None), texts)
        })
}

fn with_help_template(command: Command, texts: Texts) -> Command {
    let styles = Styles::styled();
    let (style, heading) = (styles.get_usage(), texts.heading_usage());
    command
        .help_template(format!(
            "{{about-with-newline}}\n{style}{heading}:{style:#} {{usage}}\n\n{{all-args}}{{after-help}}"
        ))
        // `help_layout` wraps the text instead of clap.
        .term_width(0)
        .subcommand_help_heading(texts.heading_commands())
        .subcommand_value_name(texts.placeholder_command())
}

/// Sets the heading and the help of an argument, with its default, possible values and environment variable.
fn localize_arg(command: &str, options: &'static str, argument: Arg, texts: Texts) -> Arg {
    let heading = match argument.is_positional() {
        true => texts.heading_arguments(),
        false => options,
    };
    let help = texts.argument(command, argument.get_id().as_str());
    let argument = argument
        .help_heading(heading)
        .help(help.unwrap_or_default());
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
    let default = (!defaults.is_empty()).then(|| texts.default_value(defaults.join(", ")));
    let choices = (!choices.is_empty()).then(|| texts.possible_values(choices.join(", ")));
    let variable = argument
        .get_env()
        .map(|name| texts.env_variable(name.to_string_lossy()));
    let help: Vec<String> = [help.map(str::to_owned), default, choices, variable]
        .into_iter()
        .flatten()
        .collect();
    argument
        .help(help.join(" "))
        .hide_default_value(true)
        .hide_possible_values(true)
        .hide_env(true)
}

/// Translates `[OPTIONS]`, which clap writes in English, in the usage lines of a command and its subcommands.
fn localize_usage(mut command: Command, texts: Texts) -> Command {
    let options = texts.placeholder_options();
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
            let command = definition(texts);
            // `noughts help` repeats the texts of the subcommands, and its argument belongs to clap.
            let command =
                command.mut_subcommand("help", |_| Command::new("help").about("\u{2713}"));
            check(&command);
        }
    }

    #[test]
    fn no_built_in_clap_text_remains() {
        for lang in Lang::ALL {
            let texts = Texts::new(lang);
            let mut command = definition(texts);
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
