//! Properties of the terminal by environment and flags: colours, UTF-8 and dumb terminals.

use crate::cli::{ColorChoice, GlobalArgs};
use crate::facts::notification::{ColorCheck, GlyphCheck};
use crate::io::terminal;
use crate::model::{GlyphSet, Theme};

/// Returns an environment variable that is set and not empty.
pub(super) fn env_variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Whether `TERM` is `dumb` or not set.
pub(super) fn is_dumb_terminal() -> bool {
    env_variable("TERM").is_none_or(|term| term == "dumb")
}

/// Whether the terminal announces a light background in `COLORFGBG`, as `0;15`.
pub(super) fn has_light_background() -> bool {
    let background =
        env_variable("COLORFGBG").and_then(|value| value.rsplit(';').next()?.parse::<u8>().ok());
    background.is_some_and(|color| color == 7 || (9..=15).contains(&color))
}

/// Whether the terminal may be asked for its background. The console of Linux would print the question.
pub(super) fn can_report_background() -> bool {
    !is_dumb_terminal() && env_variable("TERM").is_some_and(|term| term != "linux")
}

/// Whether the terminal may be given a title. The console of Linux would print it.
pub(super) fn can_set_title() -> bool {
    can_report_background()
}

/// Returns whether colours are used, and for what reason.
pub(super) fn check_colors(global: &GlobalArgs) -> ColorCheck {
    match global.color {
        ColorChoice::Never => ColorCheck::Disabled,
        ColorChoice::Always | ColorChoice::Auto if global.theme == Theme::Mono => {
            ColorCheck::Disabled
        }
        ColorChoice::Always => ColorCheck::Yes,
        ColorChoice::Auto if env_variable("NO_COLOR").is_some() => ColorCheck::NoColor,
        ColorChoice::Auto if is_dumb_terminal() => ColorCheck::Dumb,
        ColorChoice::Auto => ColorCheck::Yes,
    }
}

/// Returns the characters of the grid; `None` if the terminal has to be probed.
pub(super) fn check_glyphs(glyphs: GlyphSet) -> Option<GlyphCheck> {
    match glyphs {
        GlyphSet::Unicode => Some(GlyphCheck::Chosen { unicode: true }),
        GlyphSet::Ascii => Some(GlyphCheck::Chosen { unicode: false }),
        GlyphSet::Auto if is_dumb_terminal() || !is_utf8_locale(env_variable) => {
            Some(GlyphCheck::NoUtf8)
        }
        GlyphSet::Auto if !terminal::is_terminal() => Some(GlyphCheck::NoTerminal),
        GlyphSet::Auto => None,
    }
}

/// Whether the locale uses UTF-8.
fn is_utf8_locale(env: impl Fn(&str) -> Option<String>) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(env)
        .unwrap_or_default()
        .to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}
