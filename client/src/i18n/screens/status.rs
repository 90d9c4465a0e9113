//! Texts of the status row: the player to move, or the last event.

use std::time::Duration;

use noughts_protocol::{Offer, Outcome, Rules, Seat};

use crate::facts::PlayerRef;
use crate::i18n::Texts;
use crate::i18n::game::outcome::for_reader;
use crate::input::text_command::{is_named_by_digits, shown_name};
use crate::input::{DigitOrder, Key};

impl Texts {
    /// Says how much time is left for a first move. The move itself costs no time.
    pub fn first_move_within(self, left_ms: u64) -> String {
        self.move_within(self.seconds(left_ms))
    }

    /// Returns the headline for two people at one terminal.
    pub fn person_turn_headline(self, who: &PlayerRef) -> String {
        let PlayerRef { name, seat, .. } = who;
        self.headline_to_move(name, seat)
    }

    /// Says which keys lead forward and back to the game.
    pub fn forward_keys(self, forward: &str, last: &str) -> [String; 2] {
        [self.key_forward(forward), self.key_latest(last)]
    }

    /// Returns the headline of a result for the reader, who is a player or a spectator.
    pub fn result_headline(self, outcome: &Outcome, players: &[PlayerRef; 2]) -> String {
        let Some(winner) = outcome.winner() else {
            let is_aborted = *outcome == Outcome::Aborted;
            return if is_aborted {
                self.headline_aborted()
            } else {
                self.headline_draw()
            }
            .to_owned();
        };
        let (won, lost) = (
            self.headline_you_win().to_owned(),
            self.headline_you_lost().to_owned(),
        );
        let watched = self.headline_wins(&players[winner.index()].name);
        for_reader(winner, players, [won, lost, watched])
    }

    /// Says how a game ended, without naming the winner.
    pub fn result_reason(
        self,
        outcome: &Outcome,
        rules: &Rules,
        players: &[PlayerRef; 2],
        order: DigitOrder,
    ) -> String {
        match outcome {
            Outcome::Line { line, .. } => {
                let name = self.winning_line_name(line.name);
                let cells = line.cells.iter();
                let cells: Vec<_> = cells.map(|&cell| shown_name(rules, order, cell)).collect();
                let cells = cells.join("-");
                match rules.misere() {
                    // Column numbers do not name cells.
                    false if rules.gravity() && is_named_by_digits(rules) => {
                        self.short_line(rules.line())
                    }
                    false => format!("{name} {cells}"),
                    true => self.line_loses(cells, name),
                }
            }
            Outcome::Full => self.reason_full().to_owned(),
            Outcome::Agreed => self.reason_agreed().to_owned(),
            Outcome::Aborted => self.reason_aborted().to_owned(),
            Outcome::Flag { .. } => self.reason_flag().to_owned(),
            Outcome::Resigned { winner } => self.resigned(&players[winner.other().index()]),
            Outcome::Abandoned {
                winner: Some(winner),
            } => self.not_returned(players[winner.other().index()].name.as_str()),
            Outcome::Abandoned { winner: None } => self.reason_abandoned().to_owned(),
        }
    }

    fn resigned(self, loser: &PlayerRef) -> String {
        let name = &loser.name;
        if loser.you {
            return self.reason_you_resigned().to_owned();
        }
        self.reason_resigned(name)
    }

    /// Returns one player's result, to be shown beside the name.
    pub fn player_result(self, outcome: &Outcome, seat: Seat) -> &'static str {
        match outcome.winner() {
            None if *outcome == Outcome::Aborted => "",
            None => self.result_draw(),
            Some(winner) if winner == seat => self.result_won(),
            Some(_) => self.result_lost(),
        }
    }

    pub fn offer_headline(self, name: &str, offer: Offer) -> String {
        match offer {
            Offer::Draw => self.headline_offer_draw(name),
            Offer::Takeback => self.headline_offer_takeback(name),
            Offer::Rematch => self.headline_offer_rematch(name),
        }
    }

    /// Says which keys answer an offer.
    pub fn answer_keys(self, accept: Key, decline: Key) -> [String; 2] {
        [self.key_accept(accept), self.key_decline(decline)]
    }

    /// Returns the headline for an absent player, with the time left to return.
    pub fn disconnected_headline(self, name: &str, left: Option<u64>) -> String {
        match left {
            Some(left) => self.headline_disconnected_until(self.countdown(left), name),
            None => self.headline_disconnected(name),
        }
    }

    pub fn left_headline(self, name: &str, left: Option<u64>) -> String {
        match left {
            Some(left) => self.headline_left_until(self.countdown(left), name),
            None => self.headline_left(name),
        }
    }

    /// Says which keys claim the game against an absent player.
    pub fn claim_keys(self, win: Key, draw: Option<Key>) -> Vec<String> {
        let win = self.key_claim_win(win);
        let draw = draw.map(|draw| self.key_claim_draw(draw));
        [Some(win), draw].into_iter().flatten().collect()
    }

    pub fn connection_lost_headline(self, attempt: u32, retry_in_ms: u64) -> String {
        self.headline_connection_lost(attempt, self.seconds(retry_in_ms))
    }

    /// Formats a countdown as minutes and seconds, rounded up.
    pub fn countdown(self, ms: u64) -> String {
        let seconds = Duration::from_millis(ms.div_ceil(1000) * 1000).as_secs();
        format!("{}:{:02}", seconds / 60, seconds % 60)
    }

    /// Returns the meanings of the letters `W`, `=` and `L`.
    pub fn value_names(self) -> [&'static str; 3] {
        [self.value_wins(), self.value_draws(), self.value_loses()]
    }

    /// Returns the headline of an earlier position: the number of its last move. Every mark counts as a move.
    pub fn position_headline(self, ply: usize, all_plies: usize) -> String {
        match ply {
            0 => self.start_position().to_owned(),
            _ => self.earlier_position(all_plies, ply),
        }
    }

    /// Labels the list of moves while an earlier position is shown.
    pub fn moves_label(self, ply: usize, all_plies: usize) -> String {
        match ply {
            0 => self.moves_start().to_owned(),
            _ => self.moves_at(all_plies, ply),
        }
    }
}
