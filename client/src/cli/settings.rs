//! What the player has chosen before anything is asked: from the environment, and by default.

use noughts_protocol::Rules;

use super::View;
use crate::engine::Level;
use crate::lang::Lang;
use crate::model::{FieldError, Settings};
use crate::words::Words;

/// What the player has chosen before any form: defaults, the environment, and the flags that are there
/// whatever the command. `env` looks a variable up.
///
/// # Errors
/// The variable that will not do, and why.
pub fn settings(
    view: &View,
    env: impl Fn(&str) -> Option<String>,
) -> Result<Settings, (&'static str, FieldError)> {
    let read = &|name: &'static str| env(name).filter(|text| !text.is_empty());
    let user = ["USER", "LOGNAME"].iter().filter_map(|name| env(name)).find_map(|name| name.parse().ok());
    let lang = view.lang.unwrap_or_else(|| Lang::of_locale(&env));
    let unknown = || user.unwrap_or_else(|| Words::new(lang).first_player());
    Ok(Settings {
        server: parsed("NOUGHTS_SERVER", read, FieldError::Server)?.unwrap_or_default(),
        name: parsed("NOUGHTS_NAME", read, FieldError::Name)?.unwrap_or_else(unknown),
        rules: parsed("NOUGHTS_RULES", read, FieldError::Rules)?.unwrap_or_else(tictactoe),
        clock: parsed("NOUGHTS_CLOCK", read, FieldError::Clock)?,
        seat: None,
        level: Level::default(),
        keys: view.keys.into(),
        lang,
        theme: view.theme,
        glyphs: view.glyphs,
        bell: view.bell,
    })
}

/// What a variable holds, if it is set.
fn parsed<T: std::str::FromStr>(
    variable: &'static str,
    read: impl Fn(&'static str) -> Option<String>,
    wrong: fn(T::Err) -> FieldError,
) -> Result<Option<T>, (&'static str, FieldError)> {
    let text = read(variable);
    text.map(|text| text.parse()).transpose().map_err(|error| (variable, wrong(error)))
}

fn tictactoe() -> Rules {
    Rules::new(&[3, 3], 3).expect("the smallest well-known board")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::Parser;

    #[test]
    fn a_name_is_found_somewhere() {
        let view = Cli::try_parse_from(["noughts"]).unwrap().view;
        let name = |vars: &[(&str, &str)]| {
            let env =
                |name: &str| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
            settings(&view, env).map(|settings| settings.name.to_string())
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
        let wrong = name(&[("NOUGHTS_NAME", "\u{1b}")]);
        assert!(matches!(wrong, Err(("NOUGHTS_NAME", FieldError::Name(_)))));
    }
}
