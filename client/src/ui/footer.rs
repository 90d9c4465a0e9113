//! The footer: the keys that have an effect, the most useful first.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::facts::{Confirmation, FieldId};
use crate::input::commands::footer_actions;
use crate::input::{Action, KeyContext};
use crate::model::{GameView, Model, Overlay, Screen, layout};
use crate::settings::Setting;
use crate::ui::drawing::{columns, put_text};
use crate::ui::text_rows::{has_board_effect, has_effect};
use crate::ui::theme;
use crate::ui::widgets::room_invitation::can_show_qr;

/// Minimum width for wider gaps between entries.
const MIN_WIDE_COLUMNS: u16 = 100;

/// A key of the footer with its label.
struct FooterEntry {
    action: Action,
    keys: String,
    hint: &'static str,
    x: u16,
}

/// Draws the labels of the most useful keys.
pub(super) fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    for FooterEntry { keys, hint, x, .. } in entries(model, area) {
        let x = put_text(buf, x, area.y, columns(&keys), &keys, theme::bold());
        put_text(
            buf,
            x + 1,
            area.y,
            columns(hint),
            hint,
            model.appearance.dim(),
        );
    }
}

/// Returns the entries with their columns. If they do not fit, the last entries are dropped, except entries that lead
/// out of the screen.
fn entries(model: &Model, area: Rect) -> Vec<FooterEntry> {
    let gap = if area.width < MIN_WIDE_COLUMNS { 2 } else { 3 };
    let mut visible = hints(model);
    let total_width = |shown: &[(Action, String, &str)]| {
        shown
            .iter()
            .map(|(_, keys, hint)| columns(keys) + 1 + columns(hint) + gap)
            .sum::<u16>()
    };
    while total_width(&visible) > area.width + gap && !visible.is_empty() {
        let last = visible
            .iter()
            .rposition(|(action, _, _)| !is_exit_action(*action));
        visible.remove(last.unwrap_or(visible.len() - 1));
    }
    let mut x = area.x;
    let place = |(action, keys, hint): (Action, String, &'static str)| {
        let entry = FooterEntry {
            action,
            keys,
            hint,
            x,
        };
        x += columns(&entry.keys) + 1 + columns(hint) + gap;
        entry
    };
    visible.into_iter().map(place).collect()
}

/// Returns the action of the key or label at a position. A range of digits has no action.
pub(super) fn action_at(model: &Model, area: Rect, at: Position) -> Option<Action> {
    if !area.contains(at) {
        return None;
    }
    let entries = entries(model, area);
    let end = |entry: &FooterEntry| entry.x + columns(&entry.keys) + 1 + columns(entry.hint);
    let entry = entries
        .iter()
        .find(|entry| (entry.x..end(entry)).contains(&at.x))?;
    let key_columns = columns(&entry.keys);
    match (entry.action, key_pair(entry.action)) {
        (Action::PlayDigit(_), _) => None,
        // Both keys of a pair precede the label.
        (_, Some((first, second)))
            if entry.keys.contains([' ', '/']) && at.x < entry.x + key_columns =>
        {
            Some(if at.x < entry.x + key_columns / 2 {
                first
            } else {
                second
            })
        }
        (action, _) => Some(action),
    }
}

/// Returns both actions of an entry that names two keys.
fn key_pair(action: Action) -> Option<(Action, Action)> {
    if matches!(action, Action::Previous | Action::Next) {
        Some((Action::Previous, Action::Next))
    } else if action == Action::NextOption {
        Some((Action::PreviousOption, Action::NextOption))
    } else if matches!(action, Action::MoveLayer(_)) {
        Some((Action::MoveLayer(-1), Action::MoveLayer(1)))
    } else {
        None
    }
}

/// Returns the actions to hint at, with their keys and a short label.
pub(super) fn hints(model: &Model) -> Vec<(Action, String, &'static str)> {
    let (context, texts) = (model.key_context(), model.lang().texts());
    let hint = |action: Action| {
        let hint = match (&model.screen, action) {
            (Screen::Form(form), Action::Choose) if form.picker.is_none() => {
                let is_list = form.field().id == FieldId::Setting(Setting::Rules);
                if is_list {
                    texts.game_list_hint()
                } else {
                    texts.submit_hint(form.kind)
                }
            }
            (Screen::Game(_), Action::Choose) if context == KeyContext::GameOver => {
                chosen_entry(model)?
            }
            (Screen::Game(_), Action::Leave) if model.waiting_opponent().is_some() => {
                texts.meet_hint()
            }
            (Screen::Game(view), Action::Decline) if !view.has_offer_to_answer() => {
                texts.withdraw_hint()
            }
            (Screen::Lobby(lobby), Action::Choose) if lobby.is_selection_full() => {
                texts.hint(Action::Watch, context)
            }
            // At an earlier position, the key first leads back to the game.
            (Screen::Game(view), Action::Menu) if view.plies_back().is_some() => {
                texts.hint(Action::Close, context)
            }
            _ => texts.hint(action, context),
        };
        Some((action, key_text(model, context, action)?, hint))
    };
    suggested_actions(model, context)
        .into_iter()
        .filter_map(hint)
        .collect()
}

/// Names the selected entry of the menu after a game.
fn chosen_entry(model: &Model) -> Option<&'static str> {
    let action = model.selected_after_game_action()?;
    Some(model.lang().texts().hint(action, KeyContext::GameOver))
}

/// Returns the keys of an action as text: both keys of a pair, or the range of the digits.
fn key_text(model: &Model, context: KeyContext, action: Action) -> Option<String> {
    let texts = model.lang().texts();
    let first = |action| Some(texts.key(model.keymap.first_key(context, action)?));
    let letter = |action| Some(texts.key(model.keymap.letter_key(context, action)?));
    Some(match (context, action) {
        (KeyContext::Form | KeyContext::GamePicker, Action::Next) => {
            format!("{}/{}", first(Action::Previous)?, first(action)?)
        }
        (KeyContext::Form, Action::NextOption) => {
            format!("{}/{}", first(Action::PreviousOption)?, first(action)?)
        }
        (
            KeyContext::Playing
            | KeyContext::GameOver
            | KeyContext::Watching
            | KeyContext::Analysis,
            Action::Previous,
        ) => format!("{} {}", first(action)?, first(Action::Next)?),
        (_, Action::MoveLayer(_)) => {
            format!(
                "{} {}",
                first(Action::MoveLayer(-1))?,
                first(Action::MoveLayer(1))?
            )
        }
        (_, Action::PlayDigit(last)) => format!("{}-{last}", first(Action::PlayDigit(1))?),
        (
            _,
            Action::ShowInvite
            | Action::Review
            | Action::NextOpponent
            | Action::Rematch
            | Action::Profile
            | Action::Delete,
        ) => letter(action)?.into_owned(),
        _ => first(action)?.into_owned(),
    })
}

/// Returns whether a hint must always stay visible.
pub(super) fn is_exit_action(action: Action) -> bool {
    matches!(
        action,
        Action::Leave | Action::Menu | Action::Close | Action::Help | Action::Yes | Action::No
    )
}

/// Returns the actions to hint at, the most useful first.
fn suggested_actions(model: &Model, context: KeyContext) -> Vec<Action> {
    let has_board = matches!(
        context,
        KeyContext::Playing | KeyContext::GameOver | KeyContext::Watching
    );
    if has_board && model.prompt.is_some() {
        return Vec::new();
    }
    let last_digit = (1..=9)
        .rev()
        .map(Action::PlayDigit)
        .find(|&digit| has_board_effect(model, digit));
    footer_actions(context)
        .iter()
        .map(|&action| match (action, last_digit) {
            (Action::PlayDigit(_), Some(digit)) => digit,
            _ => action,
        })
        .filter(|&action| is_suggested(model, context, action, last_digit.is_some()))
        .collect()
}

/// Returns whether an action has an effect now, and the screen does not name it elsewhere.
fn is_suggested(model: &Model, context: KeyContext, action: Action, has_digits: bool) -> bool {
    use Action as A;
    use KeyContext as C;
    let view = model.game_view();
    let is_live = view.is_none_or(|view| view.plies_back().is_none());
    let can_move =
        || is_live && view.is_some_and(|view| view.can_move() && view.pending_move.is_none());
    match (context, action) {
        (C::Lobby, A::Choose | A::WatchAll) => {
            let lobby = model.screen.as_lobby();
            lobby.is_none_or(|lobby| lobby.row_count() > 0)
        }
        // Without a selected entry, the key has no effect.
        (C::Menu, A::Choose) => !matches!(model.overlay, Some(Overlay::Menu(None))),
        (C::OwnGames, A::Choose) => {
            let games = model.screen.as_own_games();
            games.is_some_and(|games| games.row_count() > 0)
        }
        (C::OwnGames, A::CopyLink | A::Save | A::Delete) => {
            let games = model.screen.as_own_games();
            games.is_some_and(|games| games.selected_game().is_some())
        }
        (C::OwnGames | C::GameOver, A::Profile) => model.profile_subject().is_some(),
        (C::Waiting, A::Choose) => {
            let session = model.session.as_ref();
            session.is_some_and(|session| session.selected_seek().is_some()) && model.is_seeking()
        }
        (C::Waiting, A::InviteBot | A::Watch | A::ShowInvite) => model.is_seeking(),
        (C::OwnRoom, A::ShowInvite) => can_show_qr(model),
        (C::Playing, A::PlayDigit(_)) => can_move() && has_digits,
        (C::Playing, A::PlayCursor) => can_move() && !has_digits,
        (C::Playing, A::InviteBot) => is_live && has_effect(model, action),
        (C::Playing, A::MoveLayer(_)) => can_move() && has_board_effect(model, action),
        (C::Playing | C::Watching, A::Last) => !is_live,
        // The panel contains the menu.
        (C::GameOver, A::NextOpponent | A::Review) => {
            model.after_game_actions().contains(&action)
                && model.selected_after_game_action() != Some(action)
                && !layout::has_panel(model)
        }
        (C::Watching, A::ShowInvite) => is_live && view.and_then(GameView::room).is_some(),
        (C::GameOver | C::Watching | C::Analysis, A::Previous) => true,
        (C::MultiWatch, A::Next) => {
            let grid = model.screen.as_multi_watch();
            grid.is_none_or(|grid| grid.games.len() != 1)
        }
        (C::Confirmation, A::KeepSeat) => match model.overlay {
            Some(Overlay::Confirmation(Confirmation::Leave { effect })) => {
                effect.is_final() && model.can_keep_seat()
            }
            Some(
                Overlay::Confirmation(_) | Overlay::Help(_) | Overlay::Menu(_) | Overlay::Say(_),
            )
            | None => false,
        },
        _ => context != model.screen_key_context() || has_effect(model, action),
    }
}

#[cfg(test)]
mod tests {
    use noughts_protocol::Seat;
    use noughts_protocol::wire::Presence;

    use super::*;

    use crate::i18n::lang::Lang;
    use crate::model::Mode;
    use crate::ui::text_rows::{HelpRow, help_rows};
    use crate::update::tests::{TestPlayer, TestRoom, opponent_presence};

    #[test]
    fn the_substitute_is_named_once_the_grace_period_of_an_absent_opponent_is_over() {
        let host = TestRoom::in_game("3x3:3", None);
        let mut player = TestPlayer::seated(Mode::Full, &host);
        player.receive_message(host.snapshot(Some(Seat::X)));
        for (presence, later_ms, is_expected) in [
            (Presence::Connected, 0, false),
            (Presence::Left, 0, false),
            (Presence::Left, 60_000, true),
            (Presence::Connected, 0, false),
        ] {
            let claim_in_ms = (presence == Presence::Left).then_some(60_000);
            player.receive_message(opponent_presence(presence, claim_in_ms));
            player.advance(later_ms);
            for lang in Lang::ALL {
                player.model.settings.lang = lang;
                let expected = (Action::InviteBot, "b".to_owned());
                let is_hinted = hints(&player.model)
                    .into_iter()
                    .any(|(action, keys, _)| (action, keys) == expected);
                let command = lang.texts().action(Action::InviteBot, KeyContext::Playing);
                let is_listed = help_rows(&player.model)
                    .iter()
                    .any(|row| matches!(row, HelpRow::Entry(_, what) if *what == command));
                let case = format!("{lang} {presence:?} {claim_in_ms:?}");
                assert_eq!((is_hinted, is_listed), (is_expected, is_expected), "{case}");
            }
        }
    }
}
