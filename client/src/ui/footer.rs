//! The footer: the keys that have an effect, the most useful first.

use noughts_protocol::Offer;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::facts::{Confirmation, FieldId};
use crate::input::text_command::digit_cell;
use crate::input::{Action, KeyContext};
use crate::model::{GameView, Model, Overlay, Screen, layout};
use crate::settings::Setting;
use crate::ui::drawing::{columns, put_text};
use crate::ui::theme;
use crate::ui::widgets::open_room::can_show_qr;

/// Width from which entries are further apart.
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

/// Returns the entries with their columns. If they do not fit, the last are dropped, except the ones that lead out of the
/// screen.
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

/// Returns the action of the key or label at a position. A range of digits has none.
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
        // Both keys of a pair stand before the label.
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

/// Returns the actions to hint at, with their keys and a word or two.
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
            // The key first leads from an earlier position to the game.
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

/// Returns the keys of an action as text: both keys of a pair, and the range of the digits.
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
        (_, Action::ShowInvite | Action::Review | Action::NextOpponent | Action::Rematch) => {
            letter(action)?.into_owned()
        }
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
    use Action as A;
    match (context, model.game_view()) {
        (KeyContext::Home, _) => vec![A::Choose, A::InviteBot, A::Help, A::Leave],
        (KeyContext::Form, _) => vec![A::Choose, A::Close, A::Next, A::NextOption],
        (KeyContext::GamePicker, _) => vec![A::Choose, A::Next, A::Close],
        (KeyContext::Lobby, _)
            if model
                .screen
                .as_lobby()
                .is_some_and(|lobby| lobby.row_count() == 0) =>
        {
            vec![A::NewRoom, A::InviteBot, A::Leave, A::Refresh, A::Help]
        }
        (KeyContext::Lobby, _) => {
            vec![
                A::Choose,
                A::NewRoom,
                A::WatchAll,
                A::InviteBot,
                A::Leave,
                A::Help,
                A::Refresh,
            ]
        }
        (KeyContext::Waiting, _) if model.is_seeking() => {
            let session = model.session.as_ref();
            let has_others = session.is_some_and(|session| session.selected_seek().is_some());
            let choose = has_others.then_some(A::Choose);
            choose
                .into_iter()
                .chain([A::InviteBot, A::Watch, A::ShowInvite, A::Leave, A::Help])
                .collect()
        }
        (KeyContext::Waiting, _) => vec![A::Leave, A::Help],
        (KeyContext::OwnRoom, _) => {
            let qr_code = can_show_qr(model).then_some(A::ShowInvite);
            let first = [A::CopyLink, A::CopyCommand].into_iter().chain(qr_code);
            first.chain([A::InviteBot, A::Leave, A::Help]).collect()
        }
        (KeyContext::Playing | KeyContext::GameOver | KeyContext::Watching, _)
            if model.prompt.is_some() =>
        {
            Vec::new()
        }
        (KeyContext::Playing, Some(view)) => playing_actions(model, view),
        (KeyContext::GameOver, _) => {
            // The panel has the menu.
            let is_unlisted = |action: &Action| {
                model.after_game_actions().contains(action)
                    && model.selected_after_game_action() != Some(*action)
                    && !layout::has_panel(model)
            };
            let unlisted = [A::NextOpponent, A::Review].into_iter().filter(is_unlisted);
            [A::Choose]
                .into_iter()
                .chain(unlisted)
                .chain([A::Previous, A::Say, A::Help, A::Leave])
                .collect()
        }
        (KeyContext::Watching, Some(view)) if view.plies_back().is_some() => {
            vec![A::Last, A::Previous, A::Help, A::Leave]
        }
        (KeyContext::Playing | KeyContext::Watching, view) => {
            let invite = view.and_then(GameView::room).map(|_| A::ShowInvite);
            let invite = invite.into_iter();
            [A::Previous]
                .into_iter()
                .chain(invite)
                .chain([A::Help, A::Leave])
                .collect()
        }
        (KeyContext::MultiWatch, _) => {
            let games = model.screen.as_multi_watch().map(|grid| grid.games.len());
            let next = (games != Some(1)).then_some(A::Next);
            [A::Choose]
                .into_iter()
                .chain(next)
                .chain([A::Hold, A::Leave, A::Help])
                .collect()
        }
        (KeyContext::Analysis, _) => {
            let answers = [A::Accept, A::Decline].into_iter();
            answers
                .filter(|_| model.is_rematch_offered())
                .chain([A::PlayCursor, A::Previous, A::Review, A::Help, A::Close])
                .collect()
        }
        (KeyContext::Confirmation, _) => match model.overlay {
            Some(Overlay::Confirmation(Confirmation::Leave { effect })) if effect.is_final() => {
                let keep = model.can_keep_seat().then_some(A::KeepSeat);
                [A::No, A::Yes].into_iter().chain(keep).collect()
            }
            Some(
                Overlay::Confirmation(_) | Overlay::Help(_) | Overlay::Menu(_) | Overlay::Say(_),
            )
            | None => vec![A::No, A::Yes],
        },
        (KeyContext::Menu, _) => vec![A::Choose, A::Close],
        (KeyContext::Say, _) => vec![A::Choose, A::Mute, A::Close],
        (KeyContext::Help, _) => vec![A::Close, A::Next],
    }
    .into_iter()
    .filter(|&action| action != A::Say || model.can_say())
    .collect()
}

/// The actions of a player during a game.
fn playing_actions(model: &Model, view: &GameView) -> Vec<Action> {
    use Action as A;
    let is_answerable = view.has_offer_to_answer();
    let has_offer = Offer::ALL
        .into_iter()
        .any(|offer| view.game.offered_by(offer).is_some());
    let can_claim = view.can_claim(model.now);
    if view.plies_back().is_some() {
        let answers = [
            (A::Accept, is_answerable),
            (A::Decline, has_offer),
            (A::Claim, can_claim),
        ];
        let answers = answers
            .into_iter()
            .filter(|(_, has_effect)| *has_effect)
            .map(|(action, _)| action);
        return answers
            .chain([A::Last, A::Previous, A::Help, A::Menu])
            .collect();
    }
    let (rules, order) = (view.game.rules(), model.settings.digits);
    let digits = (1..=9)
        .rev()
        .find(|&digit| digit_cell(rules, order, digit).is_some());
    let can_move = view.can_move() && view.pending_move.is_none();
    let actions = [
        (A::Accept, is_answerable),
        (A::Decline, has_offer),
        (A::Claim, can_claim),
        (A::InviteBot, model.can_call_substitute()),
        (
            A::PlayDigit(digits.unwrap_or(9)),
            can_move && digits.is_some(),
        ),
        (A::PlayCursor, can_move && digits.is_none()),
        (A::MoveLayer(1), can_move && rules.dimensions() > 2),
        (A::Previous, view.game.position().ply() > 0),
        (A::Menu, true),
        (A::Help, true),
    ];
    actions
        .into_iter()
        .filter(|(_, has_effect)| *has_effect)
        .map(|(action, _)| action)
        .collect()
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
