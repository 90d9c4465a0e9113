//! Rows of text that the full screen and line mode share: the help, the lobby, and the moves of a record. This module
//! does not draw.

use std::borrow::Cow;

use noughts_protocol::wire::{GameCounts, OpenSeek, PlayerProfile, RoomListing};
use noughts_protocol::{Offer, Outcome, Player, Rules, Seat, TimeControl};
use unicode_width::UnicodeWidthStr;

use crate::connection::server_url::ServerUrl;
use crate::facts::PlayerRef;
use crate::facts::archive::ServerGame;
use crate::i18n::lang::Lang;
use crate::i18n::{Texts, pad_right};
use crate::input::commands::COMMANDS;
use crate::input::text_command::digit_cell;
use crate::input::{Action, Key, KeyContext};
use crate::io::own_games::{OwnGame, date_of};
use crate::model::{GameView, Model};

/// Row of the help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::ui) enum HelpRow {
    Heading(&'static str),
    /// Keys or a command, and their description.
    Entry(String, Cow<'static, str>),
}

/// Returns whether the help lists an action last, because it is rarely needed or in the menu of the game.
fn is_rare(context: KeyContext, action: Action) -> bool {
    let is_in_menu = matches!(
        action,
        Action::OfferDraw
            | Action::Takeback
            | Action::Resign
            | Action::Say
            | Action::ShowInvite
            | Action::CopyLink
    );
    (context == KeyContext::Playing && is_in_menu)
        || matches!(
            action,
            Action::First
                | Action::Last
                | Action::MoveDepth(_)
                | Action::ToggleGuideLines
                | Action::OpenPrompt
                | Action::Save
                | Action::Mute
                | Action::Refresh
                | Action::PreviousOption
                | Action::NextOption
                | Action::Help
                | Action::Interrupt
                | Action::Suspend
                | Action::Redraw
        )
}

/// Returns the help rows for the screen below the help: how to win, and the keys that have an effect there.
pub(in crate::ui) fn help_rows(model: &Model) -> Vec<HelpRow> {
    let (texts, context) = (model.lang().texts(), model.screen_key_context());
    let [keys, more_keys, typed] = texts.help_headings();
    let [rules_heading, signs_heading] = texts.game_help_headings();
    let rules = model
        .board_rules()
        .filter(|_| context != KeyContext::OwnRoom);
    let mut rows = Vec::new();
    if let Some(rules) = &rules {
        rows.push(HelpRow::Heading(rules_heading));
        let [line, how_to_move, _] = texts.game_details(rules);
        rows.push(HelpRow::Entry(texts.short_rules(rules), line.into()));
        rows.push(HelpRow::Entry(String::new(), how_to_move.into()));
    }
    rows.push(HelpRow::Heading(keys));
    rows.extend(key_rows(model, context, |action| !is_rare(context, action)));
    if let Some(rules) = &rules {
        rows.push(HelpRow::Heading(signs_heading));
        let signs = texts.board_signs(rules, context).into_iter();
        rows.extend(signs.map(|(sign, meaning)| HelpRow::Entry(sign.to_owned(), meaning.into())));
    }
    rows.push(HelpRow::Heading(more_keys));
    rows.extend(key_rows(model, context, |action| is_rare(context, action)));
    if matches!(context, KeyContext::Playing | KeyContext::Analysis) {
        rows.push(HelpRow::Heading(typed));
        rows.extend(move_rows(texts, model.board_rules().as_ref()));
    }
    rows
}

/// Returns the help rows for all moves and commands, for line mode. `rules` are the rules of the displayed board.
pub(in crate::ui) fn typed_rows(texts: Texts, rules: Option<&Rules>) -> Vec<HelpRow> {
    move_rows(texts, rules).chain(command_rows(texts)).collect()
}

fn move_rows(texts: Texts, rules: Option<&Rules>) -> impl Iterator<Item = HelpRow> {
    texts
        .moves_help(rules)
        .into_iter()
        .map(|(typed, what)| HelpRow::Entry(typed.to_owned(), what.into()))
}

/// Returns whether an action has an effect on the screen.
pub(in crate::ui) fn has_effect(model: &Model, action: Action) -> bool {
    has_board_effect(model, action)
        && match model.game_view() {
            Some(view) => has_game_effect(model, view, action),
            // An analysis of a record has no opponent.
            None => !matches!(action, Action::Accept | Action::Decline),
        }
}

/// Returns whether an action has an effect on the displayed board.
pub(in crate::ui) fn has_board_effect(model: &Model, action: Action) -> bool {
    let Some(rules) = model.board_rules() else {
        return true;
    };
    if matches!(action, Action::MoveLayer(_) | Action::MoveDepth(_)) {
        rules.dimensions() > 2
    } else if let Action::PlayDigit(digit) = action {
        digit_cell(&rules, model.settings.digits, digit).is_some()
    } else {
        true
    }
}

/// Returns whether an action has an effect in the displayed game.
fn has_game_effect(model: &Model, view: &GameView, action: Action) -> bool {
    if view.analysis.is_some() {
        return !matches!(action, Action::Accept | Action::Decline) || view.is_rematch_offered();
    }
    let mut offers = Offer::ALL
        .into_iter()
        .filter_map(|offer| view.game.offered_by(offer));
    if view.key_context() == KeyContext::Playing
        && matches!(action, Action::ShowInvite | Action::CopyLink)
    {
        view.room().is_some()
    } else if matches!(action, Action::ShowInvite | Action::NextOpponent) {
        model.after_game_actions().contains(&action)
    } else if action == Action::Profile {
        model.profile_subject().is_some()
    } else if action == Action::Say {
        model.can_say()
    } else if action == Action::Rematch {
        model.after_game_actions().contains(&Action::Rematch)
    } else if action == Action::Accept {
        view.has_offer_to_answer()
    } else if action == Action::Decline {
        offers.next().is_some()
    } else if action == Action::Claim {
        view.can_claim(model.now)
    } else if action == Action::OfferDraw {
        view.can_offer(Offer::Draw) || view.can_claim(model.now)
    } else if action == Action::Close {
        let is_own_game = matches!(
            view.key_context(),
            KeyContext::Playing | KeyContext::GameOver
        );
        !is_own_game || view.plies_back().is_some()
    } else if action == Action::InviteBot {
        view.key_context() != KeyContext::Playing || model.can_call_substitute()
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

fn command_rows(texts: Texts) -> impl Iterator<Item = HelpRow> {
    COMMANDS.iter().filter_map(move |entry| {
        entry.names.first()?;
        // Shows at most two English names, and the first localized name.
        let own = entry.localized_names(texts.lang()).first();
        let names: Vec<&str> = entry.names.iter().take(2).chain(own).copied().collect();
        let names = names.join(", ");
        let label = if entry.argument.is_empty() {
            names
        } else {
            format!("{names} {}", entry.argument)
        };
        Some(HelpRow::Entry(
            label,
            texts.command_description(entry.name()).into(),
        ))
    })
}

/// Returns the rows for the keys of some actions. Actions with equal texts share a row.
fn key_rows(
    model: &Model,
    context: KeyContext,
    is_listed: impl Fn(Action) -> bool,
) -> Vec<HelpRow> {
    let texts = model.lang().texts();
    let mut rows: Vec<(Vec<Key>, &'static str)> = Vec::new();
    for binding in model
        .keymap
        .bindings(context)
        .filter(|binding| is_listed(binding.action) && has_effect(model, binding.action))
    {
        let aborts = binding.action == Action::Resign && model.can_abort();
        let what = if aborts {
            texts.abort_action()
        } else {
            texts.action(binding.action, context)
        };
        match rows.iter_mut().find(|(_, other)| *other == what) {
            // An action with changed keys may occur several times.
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
    let is_russian = model.lang() == Lang::Ru;
    let joined = |mut keys: Vec<Key>| {
        // The player's keyboard may lack these letters.
        keys.retain(|key| is_russian || !matches!(key, Key::Char('\u{400}'..='\u{4ff}')));
        // Named keys come before letters.
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

/// Column widths. The column of the clock is hidden if no game has a clock.
#[derive(Clone, Copy, Debug)]
pub(in crate::ui) struct LobbyColumns {
    game: usize,
    clock: usize,
    phase: usize,
}

impl LobbyColumns {
    /// Computes the widths from the contents.
    pub(in crate::ui) fn measure(
        texts: Texts,
        rooms: &[RoomListing],
        seeks: &[OpenSeek],
    ) -> LobbyColumns {
        let games = rooms.iter().map(|room| (&room.rules, room.clock));
        let games = games.chain(seeks.iter().map(|seek| (&seek.rules, seek.clock)));
        let widest =
            |texts: &mut dyn Iterator<Item = usize>| texts.max().map_or(0, |widest| widest + 2);
        LobbyColumns {
            game: widest(
                &mut games
                    .clone()
                    .map(|(rules, _)| texts.short_rules(rules).width()),
            ),
            clock: widest(&mut games.filter_map(|(_, clock)| Some(clock?.to_string().len()))),
            phase: texts.phase_columns(),
        }
    }

    fn format_game(self, texts: Texts, rules: &Rules, control: Option<TimeControl>) -> String {
        let clock = control.map_or_else(|| "-".to_owned(), |control| control.to_string());
        let clock = if self.clock == 0 {
            String::new()
        } else {
            pad_right(&clock, self.clock)
        };
        format!("{}{clock}", pad_right(&texts.short_rules(rules), self.game))
    }
}

pub(in crate::ui) fn room_row(
    texts: Texts,
    listing: &RoomListing,
    columns: LobbyColumns,
) -> String {
    let [x, o] = Seat::ALL.map(|seat| player_name(texts, listing.players[seat.index()].as_ref()));
    let phase = pad_right(texts.phase(listing.phase), columns.phase);
    format!(
        "{}  {}{phase}{x} - {o}",
        listing.room,
        columns.format_game(texts, &listing.rules, listing.clock)
    )
}

/// Formats an open seek as a row.
pub(in crate::ui) fn seek_row(texts: Texts, seek: &OpenSeek, columns: LobbyColumns) -> String {
    let seat = seek
        .seat
        .map(|seat| format!("  {seat}"))
        .unwrap_or_default();
    let game = columns.format_game(texts, &seek.rules, seek.clock);
    format!("{game}{}{seat}", texts.tagged_player(&seek.player))
}

/// Returns the columns of one of the player's own games: date, game, opponent, result, number of moves. A game between
/// two people at one terminal shows both players.
pub(in crate::ui) fn own_game_columns(texts: Texts, game: &OwnGame) -> [String; 5] {
    let others = game.other_names().into_iter();
    let others: Vec<String> = others.map(|name| name.to_string()).collect();
    [
        game.date(),
        texts.short_rules(&game.record.rules),
        others.join(" - "),
        texts.own_game_result(game.result()).to_owned(),
        game.record.moves.len().to_string(),
    ]
}

/// Returns the columns of a game on a server, as [`own_game_columns`].
pub(in crate::ui) fn server_game_columns(texts: Texts, game: &ServerGame) -> [String; 5] {
    [
        game.date(),
        texts.short_rules(&game.listing.rules),
        texts.tagged_player(game.opponent()),
        texts.own_game_result(game.result()).to_owned(),
        game.listing.moves.to_string(),
    ]
}

/// Formats the player's own games as rows, with numbers if a game can be chosen.
pub(in crate::ui) fn own_game_rows(
    texts: Texts,
    games: &[OwnGame],
    is_selectable: bool,
) -> Vec<String> {
    let rows = games.iter().map(|game| own_game_columns(texts, game));
    game_rows(texts, rows.collect(), is_selectable.then_some(1))
}

/// Formats games on a server as rows, with numbers from `first_number`.
pub(in crate::ui) fn server_game_rows(
    texts: Texts,
    games: &[ServerGame],
    first_number: Option<usize>,
) -> Vec<String> {
    let rows = games.iter().map(|game| server_game_columns(texts, game));
    game_rows(texts, rows.collect(), first_number)
}

fn game_rows(texts: Texts, rows: Vec<[String; 5]>, first_number: Option<usize>) -> Vec<String> {
    let headings = texts.own_game_columns().map(str::to_owned);
    let headings = [headings];
    let all = || headings.iter().chain(&rows);
    let widths: [usize; 5] = std::array::from_fn(|column| {
        let widths = all().map(|row| row[column].width() + 2);
        widths.max().unwrap_or(0)
    });
    let line = |row: &[String; 5]| {
        let columns = row.iter().zip(widths);
        let line: String = columns
            .map(|(text, width)| pad_right(text, width))
            .collect();
        line.trim_end().to_owned()
    };
    let number = |index: usize| match (first_number, index) {
        (None, _) => String::new(),
        (Some(_), 0) => " ".repeat(6),
        (Some(first), _) => format!("{:>4}  ", first + index - 1),
    };
    all()
        .enumerate()
        .map(|(index, row)| format!("{}{}", number(index), line(row)))
        .collect()
}

/// Returns the latest games of a profile, from the point of view of its player.
pub(in crate::ui) fn profile_games(server: &ServerUrl, profile: &PlayerProfile) -> Vec<ServerGame> {
    let player = profile.player.identity;
    let games = profile.games.iter();
    games
        .filter_map(|game| Some(ServerGame::of(server, game.clone(), player?)))
        .collect()
}

/// Returns the numbers of games in a profile as lines.
pub(in crate::ui) fn profile_lines(texts: Texts, profile: &PlayerProfile) -> Vec<String> {
    let rules = || profile.rules.iter().map(|row| row.counts);
    let all = GameCounts {
        wins: rules().map(|counts| counts.wins).sum(),
        draws: rules().map(|counts| counts.draws).sum(),
        losses: rules().map(|counts| counts.losses).sum(),
    };
    let mut lines = vec![texts.profile_total(all.total(), all.draws, all.losses, all.wins)];
    // The server counts from the side of the other player.
    lines.extend(
        profile
            .against_you
            .map(|counts| texts.profile_against(counts.draws, counts.wins, counts.losses)),
    );
    lines.extend(profile.rules.iter().map(|row| {
        let GameCounts {
            wins,
            draws,
            losses,
        } = row.counts;
        texts.profile_game(draws, texts.short_rules(&row.rules), losses, wins)
    }));
    lines.push(texts.profile_since(date_of(profile.first_seen)));
    lines
}

fn player_name(texts: Texts, player: Option<&Player>) -> String {
    player.map_or_else(|| "...".to_owned(), |player| texts.tagged_player(player))
}

/// Formats an elapsed time: `0:47`.
pub(in crate::ui) fn elapsed(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

/// Returns the players of a record. Invalid names in the file are hidden.
pub(in crate::ui) fn player_refs(players: &[String; 2]) -> Option<[PlayerRef; 2]> {
    let player_ref = |seat: Seat| {
        let name = players[seat.index()]
            .parse()
            .or_else(|_| "?".parse())
            .ok()?;
        Some(PlayerRef {
            seat,
            name,
            you: false,
            identity: None,
        })
    };
    Some([player_ref(Seat::X)?, player_ref(Seat::O)?])
}

pub(in crate::ui) fn record_players(players: &[String; 2]) -> Vec<String> {
    player_refs(players)
        .into_iter()
        .flatten()
        .map(|who| format!("{}: {}", who.seat, who.name))
        .collect()
}

pub(in crate::ui) fn record_outcome(
    texts: Texts,
    players: &[String; 2],
    outcome: Option<&Outcome>,
    rules: &Rules,
) -> String {
    match (outcome, player_refs(players)) {
        (Some(outcome), Some(players)) => texts.outcome(outcome, rules, &players),
        (Some(_), None) | (None, _) => texts.no_result().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Mode;
    use crate::update::InitialAction;
    use crate::update::tests::TestPlayer;

    #[test]
    fn the_help_of_an_analysis_lists_what_its_board_takes() {
        for (rules, layers, digits) in [
            ("3x3:3", false, true),
            ("15x15:5", false, false),
            ("4x4x4:4", true, false),
        ] {
            let record = format!("[Rules \"{rules}\"]\n").parse().unwrap();
            let player = TestPlayer::new(Mode::Full, InitialAction::Analysis(record));
            let rows = help_rows(&player.model);
            let has = |wanted: &str| {
                rows.iter().any(|row| match row {
                    HelpRow::Entry(keys, _) => keys.split(' ').any(|key| key == wanted),
                    HelpRow::Heading(_) => false,
                })
            };
            let has_layers = rows.iter().any(
                |row| matches!(row, HelpRow::Entry(_, what) if *what == "previous / next layer"),
            );
            assert_eq!(
                (has_layers, has("PgUp"), has("9"), has("5"), has("1")),
                (layers, layers, digits, digits, !layers),
                "{rules}: {rows:?}"
            );
        }
    }

    #[test]
    fn elapsed_time_has_minutes_and_seconds() {
        for (ms, text) in [
            (0, "0:00"),
            (47_900, "0:47"),
            (600_000, "10:00"),
            (3_661_000, "1:01:01"),
        ] {
            assert_eq!(elapsed(ms), text);
        }
    }
}
