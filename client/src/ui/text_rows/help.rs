//! Rows of the help, generated from the keymap and the table of typed commands.

use std::borrow::Cow;

use noughts_protocol::{Offer, Phase};

use crate::i18n::Texts;
use crate::input::text_command::{COMMANDS, CommandWord, digit_cell};
use crate::input::{Action, Key, KeyContext};
use crate::model::{GameView, Model};

/// Row of the help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::ui) enum HelpRow {
    Heading(&'static str),
    /// Keys or a command, and the description.
    Entry(String, Cow<'static, str>),
}

/// Returns the rows for the screen below the help: the keys and commands that have an effect there.
pub(in crate::ui) fn help_rows(model: &Model) -> Vec<HelpRow> {
    let (texts, context) = (model.lang().texts(), model.screen_key_context());
    let [keys, typed] = texts.help_headings();
    let mut rows = vec![HelpRow::Heading(keys)];
    rows.extend(key_rows(model, context));
    if let Some(view) = model.game_view().filter(|_| context != KeyContext::OwnRoom) {
        let rules = view.game.rules();
        let [rules_heading, signs_heading] = texts.game_help_headings();
        rows.push(HelpRow::Heading(rules_heading));
        rows.push(HelpRow::Entry(
            texts.short_rules(rules),
            texts.rule_line(rules).into(),
        ));
        rows.push(HelpRow::Heading(signs_heading));
        let signs = texts.board_signs(rules).into_iter();
        rows.extend(signs.map(|(sign, meaning)| HelpRow::Entry(sign.to_owned(), meaning.into())));
    }
    let in_game = match context {
        KeyContext::OwnRoom | KeyContext::Playing | KeyContext::GameOver | KeyContext::Watching => {
            true
        }
        KeyContext::Home
        | KeyContext::Form
        | KeyContext::GamePicker
        | KeyContext::LobbyFilter
        | KeyContext::Lobby
        | KeyContext::Waiting
        | KeyContext::Replay
        | KeyContext::Analysis
        | KeyContext::MultiWatch
        | KeyContext::Confirmation
        | KeyContext::Say
        | KeyContext::Moves
        | KeyContext::Help => false,
    };
    if in_game {
        rows.push(HelpRow::Heading(typed));
        if context == KeyContext::Playing {
            rows.extend(move_rows(texts));
        }
        let is_local = model.game_view().is_some_and(|view| view.room().is_none());
        let can_rematch = model.after_game_actions().contains(&Action::Rematch);
        rows.extend(command_rows(texts, |word| {
            let is_answer = matches!(
                word,
                CommandWord::Rematch | CommandWord::Accept | CommandWord::Decline
            );
            let needs_opponent = is_answer && context == KeyContext::GameOver;
            let is_meeting =
                word == CommandWord::MeetOpponent && model.waiting_opponent().is_some();
            let is_substitute = word == CommandWord::InviteBot && model.can_call_substitute();
            (is_substitute || is_meeting || has_command_effect(word, context, is_local))
                && (!needs_opponent || can_rematch)
        }));
    }
    rows
}

/// Returns the rows of all moves and commands, for line mode.
pub(in crate::ui) fn typed_rows(texts: Texts) -> Vec<HelpRow> {
    move_rows(texts)
        .chain(command_rows(texts, |_| true))
        .collect()
}

fn move_rows(texts: Texts) -> impl Iterator<Item = HelpRow> {
    texts
        .moves_help()
        .into_iter()
        .map(|(typed, what)| HelpRow::Entry(typed.to_owned(), what.into()))
}

/// Whether a typed command has an effect on the full screen in a context with a room or a local game.
fn has_command_effect(word: CommandWord, context: KeyContext, is_local: bool) -> bool {
    use CommandWord as W;
    // The board is on the screen.
    if word == W::Board
        || (is_local
            && matches!(
                word,
                W::Claim | W::Flag | W::Opponent | W::Clocks | W::Invite | W::Say | W::Mute
            ))
    {
        return false;
    }
    match context {
        KeyContext::OwnRoom => {
            matches!(
                word,
                W::InviteBot | W::DigitOrder | W::Lang | W::Help | W::Leave
            )
        }
        KeyContext::Playing => {
            !matches!(
                word,
                W::InviteBot | W::MeetOpponent | W::Rematch | W::Review
            ) && (is_local || word != W::Values)
        }
        KeyContext::GameOver => !matches!(
            word,
            W::InviteBot
                | W::MeetOpponent
                | W::Resign
                | W::Draw
                | W::Undo
                | W::Claim
                | W::Flag
                | W::Values
        ),
        KeyContext::Home
        | KeyContext::Form
        | KeyContext::GamePicker
        | KeyContext::LobbyFilter
        | KeyContext::Lobby
        | KeyContext::Waiting
        | KeyContext::Watching
        | KeyContext::Replay
        | KeyContext::Analysis
        | KeyContext::MultiWatch
        | KeyContext::Confirmation
        | KeyContext::Say
        | KeyContext::Moves
        | KeyContext::Help => matches!(
            word,
            W::Scan
                | W::Last
                | W::Clocks
                | W::Invite
                | W::Review
                | W::Lang
                | W::Save
                | W::Help
                | W::Leave
        ),
    }
}

/// Whether a key has an effect in the game on the screen.
fn has_key_effect(model: &Model, view: &GameView, action: Action) -> bool {
    if view.analysis.is_some() {
        return !matches!(action, Action::MoveLayer(_) | Action::MoveDepth(_))
            || view.game.rules().dimensions() > 2;
    }
    let (rules, phase, is_local) = (view.game.rules(), view.game.phase(), view.room().is_none());
    let is_finished = matches!(phase, Phase::Over | Phase::Closed);
    let mut offers = Offer::ALL
        .into_iter()
        .filter_map(|offer| view.game.offered_by(offer));
    if matches!(action, Action::MoveLayer(_) | Action::MoveDepth(_)) {
        rules.dimensions() > 2
    } else if let Action::PlayDigit(digit) = action {
        digit_cell(rules, model.settings.digit_order, digit).is_some()
    } else if action == Action::ShowValues {
        is_local && phase == Phase::Playing
    } else if matches!(action, Action::ShowInvite | Action::NextOpponent) {
        !is_local
    } else if action == Action::MeetOpponent {
        model.waiting_opponent().is_some()
    } else if action == Action::Say {
        model.can_say()
    } else if action == Action::Rematch {
        is_finished && !view.is_closed() && !view.has_opponent_left()
    } else if action == Action::Accept {
        offers.any(|seat| Some(seat) == view.opponent())
    } else if action == Action::Decline {
        offers.next().is_some()
    } else if action == Action::Claim {
        view.can_claim(model.now)
    } else if action == Action::OfferDraw {
        view.can_offer(Offer::Draw) || view.can_claim(model.now)
    } else if action == Action::Close && phase == Phase::Playing {
        view.acting_seat().is_none() || view.plies_back().is_some()
    } else if action == Action::Takeback {
        view.can_offer(Offer::Takeback)
    } else if matches!(
        action,
        Action::Previous | Action::Next | Action::First | Action::Last
    ) {
        view.game.position().ply() > 0
    } else {
        true
    }
}

fn command_rows(
    texts: Texts,
    is_shown: impl Fn(CommandWord) -> bool,
) -> impl Iterator<Item = HelpRow> {
    COMMANDS
        .iter()
        .filter(move |entry| is_shown(entry.word))
        .map(move |entry| {
            // The English names and the first localized name.
            let own = entry.localized_names(texts.lang()).first();
            let names: Vec<&str> = entry.names.iter().take(2).chain(own).copied().collect();
            let names = names.join(", ");
            let label = if entry.argument.is_empty() {
                names
            } else {
                format!("{names} {}", entry.argument)
            };
            HelpRow::Entry(label, texts.command_description(entry.word).into())
        })
}

/// Returns the rows of keys. Actions with equal texts share a row.
fn key_rows(model: &Model, context: KeyContext) -> Vec<HelpRow> {
    let texts = model.lang().texts();
    let mut rows: Vec<(Vec<Key>, &'static str)> = Vec::new();
    let view = model.game_view();
    let has_effect = |action: Action| view.is_none_or(|view| has_key_effect(model, view, action));
    for binding in model
        .keymap
        .bindings(context)
        .filter(|binding| has_effect(binding.action))
    {
        let aborts = binding.action == Action::Resign && model.can_abort();
        let what = if aborts {
            texts.abort_action()
        } else {
            texts.action(binding.action, context)
        };
        match rows.iter_mut().find(|(_, other)| *other == what) {
            // A rebound action may occur several times.
            Some((row, _)) => {
                let more: Vec<Key> = binding
                    .keys
                    .iter()
                    .filter(|key| !row.contains(key))
                    .copied()
                    .collect();
                row.extend(more);
            }
            None => rows.push((binding.keys.to_vec(), what)),
        }
    }
    // Named keys come before letters.
    let joined = |mut keys: Vec<Key>| {
        keys.sort_by_key(|key| matches!(key, Key::Char(_)));
        keys.iter()
            .map(|&key| texts.key(key))
            .collect::<Vec<_>>()
            .join(" ")
    };
    rows.into_iter()
        .map(|(keys, what)| HelpRow::Entry(joined(keys), what.into()))
        .collect()
}
