//! Initial values of forms from flags, environment variables and defaults.

use noughts_protocol::Rules;

use crate::cli::GlobalArgs;
use crate::engine::Level;
use crate::facts::FormFieldError;
use crate::i18n::Texts;
use crate::i18n::lang::Lang;
use crate::model::Settings;

/// Returns the initial values of forms from global flags, environment variables and defaults. `env` looks
/// up a variable.
///
/// # Errors
/// The invalid variable and the reason.
pub(crate) fn load_settings(
    global: &GlobalArgs,
    env: impl Fn(&str) -> Option<String>,
) -> Result<Settings, (&'static str, FormFieldError)> {
    let lookup = &|name: &'static str| env(name).filter(|text| !text.is_empty());
    let user = ["USER", "LOGNAME"]
        .iter()
        .filter_map(|name| env(name))
        .find_map(|name| name.parse().ok());
    let lang = global.lang.unwrap_or_else(|| Lang::from_locale(&env));
    let default_name = || user.unwrap_or_else(|| Texts::new(lang).first_player());
    Ok(Settings {
        server: global.server.clone().unwrap_or_default(),
        name: parse_variable("NOUGHTS_NAME", lookup, FormFieldError::BadName)?
            .unwrap_or_else(default_name),
        rules: parse_variable("NOUGHTS_RULES", lookup, FormFieldError::BadRules)?
            .unwrap_or_else(default_rules),
        clock: parse_variable("NOUGHTS_CLOCK", lookup, FormFieldError::BadClock)?,
        seat: None,
        level: Level::default(),
        digit_order: global.digits.into(),
        board_printing: global.board,
        lang,
        theme: global.theme,
        glyphs: global.glyphs,
        bell: global.bell,
        phrases: global.phrases,
    })
}

fn parse_variable<T: std::str::FromStr>(
    variable: &'static str,
    lookup: impl Fn(&'static str) -> Option<String>,
    to_error: fn(T::Err) -> FormFieldError,
) -> Result<Option<T>, (&'static str, FormFieldError)> {
    let text = lookup(variable);
    text.map(|text| text.parse())
        .transpose()
        .map_err(|error| (variable, to_error(error)))
}

fn default_rules() -> Rules {
    Rules::new(&[3, 3], 3).expect("3x3:3 is valid")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::Parser;

    #[test]
    fn name_has_fallbacks() {
        let global = Cli::try_parse_from(["noughts"]).unwrap().global;
        let name = |vars: &[(&str, &str)]| {
            let env = |name: &str| {
                vars.iter()
                    .find(|(key, _)| *key == name)
                    .map(|(_, value)| (*value).to_owned())
            };
            load_settings(&global, env).map(|settings| settings.name.to_string())
        };
        for (variables, expected) in [
            (&[("USER", "ann")][..], "ann"),
            (&[("USER", "ann"), ("NOUGHTS_NAME", "Анна")], "Анна"),
            (&[("USER", "bad\u{1b}name")], "Player"),
            (&[("NOUGHTS_NAME", "")], "Player"),
            (&[], "Player"),
            (&[("LANG", "ru_RU.UTF-8")], "Игрок"),
            (&[("LANG", "zh_TW.UTF-8"), ("USER", "")], "玩家"),
        ] {
            assert_eq!(name(variables).as_deref(), Ok(expected));
        }
        let invalid = name(&[("NOUGHTS_NAME", "\u{1b}")]);
        assert!(matches!(
            invalid,
            Err(("NOUGHTS_NAME", FormFieldError::BadName(_)))
        ));
    }
}
