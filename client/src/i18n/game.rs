//! Texts about a game: presence, sentences about players and moves, offers, phrases, and answers to queries.

mod analysis;
mod notifications;
pub(crate) mod outcome;

use noughts_protocol::wire::{Phrase, Presence};
use noughts_protocol::{Cell, Offer, RoomCloseReason, Rules, TimeControl};

use crate::facts::{NextMove, PlayerRef, QueryAnswer, ScanLabel, ScannedCell};
use crate::i18n::errors::capitalize;
use crate::i18n::messages::{PHRASE, PRESENCE, ROOM_CLOSED};
use crate::i18n::{Texts, player_tag, word};

impl Texts {
    /// Labels the state of a player's connection.
    pub fn presence(self, presence: Presence) -> &'static str {
        self.keyed(&PRESENCE, &word(&presence))
    }

    /// Says whether a player is connected, and how much time is left to reconnect if there is a countdown.
    pub fn absence(self, name: &str, presence: Presence, left_ms: Option<u64>) -> String {
        match (presence, left_ms.map(|left| self.seconds(left))) {
            (Presence::Connected, _) => self.is_connected(name),
            (Presence::Disconnected, None) => self.is_disconnected(name),
            (Presence::Disconnected, Some(left)) => self.is_disconnected_until(left, name),
            (Presence::Left, None) => self.has_left(name),
            (Presence::Left, Some(left)) => self.has_left_until(left, name),
        }
    }

    /// Lists cells in order.
    pub fn cells(self, cells: &[Cell], rules: &Rules) -> String {
        cells
            .iter()
            .map(|&cell| rules.cell_text(cell))
            .collect::<Vec<_>>()
            .join(" ")
    }
}

impl Texts {
    /// Names the rules and the time control of a game in a heading.
    pub fn game_description(self, rules: &Rules, clock: Option<TimeControl>) -> String {
        capitalize(&self.game_in_sentence(rules, clock))
    }

    /// Names the rules and the time control of a game within a sentence.
    pub(crate) fn game_in_sentence(self, rules: &Rules, clock: Option<TimeControl>) -> String {
        self.game_with_clock(self.time_control(clock), self.rules_in_sentence(rules))
    }

    pub(crate) fn game_started(
        self,
        number: u32,
        rules: &Rules,
        players: &[PlayerRef; 2],
        next: &NextMove,
    ) -> String {
        let are_namesakes = players[0].name == players[1].name;
        let seat_clause = |who: &PlayerRef| {
            let PlayerRef {
                name,
                seat,
                you,
                identity,
            } = who;
            let tag = identity.filter(|_| are_namesakes).map(player_tag);
            if *you {
                self.seat_clause_you(seat)
            } else {
                self.seat_clause(format!("{name}{}", tag.unwrap_or_default()), seat)
            }
        };
        let [x, o] = players.each_ref().map(seat_clause);
        // Only "you" gets a capital letter, because a player's name keeps its own first letter.
        let x = if players[0].you { capitalize(&x) } else { x };
        self.new_game(
            self.next_move(next),
            number,
            o,
            self.rules_in_sentence(rules),
            x,
        )
    }

    /// Says why a room was closed.
    pub(crate) fn room_closed(self, reason: RoomCloseReason) -> &'static str {
        self.keyed(&ROOM_CLOSED, &word(&reason))
    }

    /// Names the player to move, as the end of a sentence.
    pub(crate) fn next_move(self, next: &NextMove) -> String {
        match next {
            NextMove::You => self.next_you().to_owned(),
            NextMove::Local(who) => self.next_local(self.player_subject(who)),
            NextMove::Other => String::new(),
        }
    }

    /// Joins parts with commas.
    pub fn join_list(self, parts: &[impl AsRef<str>]) -> String {
        let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
        parts.join(self.list_separator())
    }

    /// Makes a sentence: the first letter becomes upper case, and a period is added.
    pub(crate) fn to_sentence(self, text: &str) -> String {
        self.with_period(capitalize(text))
    }
}

impl Texts {
    /// Says that a player has made an offer. If it is another player's offer, also says how to answer it.
    pub fn offer_made(self, who: &PlayerRef, offer: Offer) -> String {
        if who.you {
            return match offer {
                Offer::Draw => self.offer_made_draw(),
                Offer::Takeback => self.offer_made_takeback(),
                Offer::Rematch => self.offer_made_rematch(),
            }
            .to_owned();
        }
        self.offer_question(self.offer_received(who.name.as_str(), offer))
    }

    /// Says that another player has made an offer.
    pub fn offer_received(self, name: &str, offer: Offer) -> String {
        match offer {
            Offer::Draw => self.offer_draw(name),
            Offer::Takeback => self.offer_takeback(name),
            Offer::Rematch => self.offer_rematch(name),
        }
    }

    /// Says that a player has declined an offer.
    pub(crate) fn offer_declined(self, who: &PlayerRef, offer: Offer) -> String {
        let name = &who.name;
        match (offer, who.you) {
            (Offer::Draw, true) => self.you_declined_draw().to_owned(),
            (Offer::Draw, false) => self.declined_draw(name),
            (Offer::Takeback, true) => self.you_declined_takeback().to_owned(),
            (Offer::Takeback, false) => self.declined_takeback(name),
            (Offer::Rematch, true) => self.you_declined_rematch().to_owned(),
            (Offer::Rematch, false) => self.declined_rematch(name),
        }
    }
}

impl Texts {
    pub(crate) fn phrase(self, phrase: Phrase) -> &'static str {
        self.keyed(&PHRASE, &word(&phrase))
    }
}

impl Texts {
    pub(crate) fn query_answer(self, answer: &QueryAnswer) -> String {
        match answer {
            QueryAnswer::Board { position, .. } => self.rules(position.rules()),
            QueryAnswer::Scan { name, cells } => self.scan_text(*name, cells),
            QueryAnswer::Marks { who, cells } if cells.is_empty() => {
                let name = &who.name;
                match who.you {
                    true => self.no_marks_yours().to_owned(),
                    false => self.no_marks(name),
                }
            }
            QueryAnswer::Marks { who, cells } => {
                self.with_period(self.with_reason(self.player_subject(who), cells.join(" ")))
            }
            QueryAnswer::Last { who, cell } => match who.as_ref().zip(cell.as_ref()) {
                None => self.no_moves().to_owned(),
                Some((who, cell)) => self.last_move(cell, self.player_object(who)),
            },
            QueryAnswer::Clocks(None) => self.no_clocks().to_owned(),
            QueryAnswer::Clocks(Some([(x, left_x), (o, left_o)])) => {
                let (x, o) = (self.player_object(x), self.player_object(o));
                self.time_left(self.clock(*left_o), self.clock(*left_x), o, x)
            }
            QueryAnswer::Opponent {
                who,
                bot,
                presence,
                lag_ms,
            } => {
                let kind = match bot {
                    true => self.kind_bot(),
                    false => self.kind_person(),
                };
                let (who, presence) = (self.player_subject(who), self.presence(*presence));
                let lag = lag_ms.map(|ms| self.lag_clause(ms));
                self.opponent(kind, lag.unwrap_or_default(), presence, who)
            }
            QueryAnswer::Help { rules: _ } => self.help_answer().to_owned(),
        }
    }

    /// Describes a row or column as runs of equal cells, which suits screen readers.
    fn scan_text(self, name: ScanLabel, cells: &[ScannedCell]) -> String {
        let heading = match name {
            ScanLabel::Row(row) => self.scan_row(row),
            ScanLabel::Column(column) => self.scan_column(char::from(b'a' - 1 + column)),
        };
        let mut segments: Vec<String> = Vec::new();
        let mut rest = cells;
        while let Some(ScannedCell { cell: from, mark }) = rest.first() {
            let length = rest.iter().take_while(|other| other.mark == *mark).count();
            let (segment, after) = rest.split_at(length);
            rest = after;
            let content = mark.map_or(self.scan_free(), |seat| self.mark(seat));
            segments.push(match segment.last() {
                Some(to) if length > 1 => self.scan_range(content, from, &to.cell),
                Some(_) | None => format!("{content} {from}"),
            });
        }
        let separator = self.list_separator();
        self.with_period(self.with_reason(&heading, segments.join(separator)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::lang::Lang;
    use noughts_protocol::{Identity, Offer, Player, PlayerKind};

    #[test]
    fn the_tag_of_a_bot_stands_beside_its_name() {
        let player = |name: &str, kind| Player {
            name: name.parse().unwrap(),
            kind,
            identity: Some(Identity::from_bytes([0; 16])),
        };
        let shown = |lang: Lang, name, kind| Texts::new(lang).tagged_player(&player(name, kind));
        let deep = |lang| shown(lang, "Deep", PlayerKind::Bot);
        assert_eq!(deep(Lang::En), "Deep·000000 (bot)");
        assert_eq!(deep(Lang::Hans), "Deep·000000（机器人）");
        assert_eq!(shown(Lang::En, "Bot 4", PlayerKind::Bot), "Bot 4·000000");
        assert_eq!(shown(Lang::En, "Ann", PlayerKind::Person), "Ann·000000");
    }

    #[test]
    fn only_latin_and_cyrillic_names_are_set_off_from_chinese_text() {
        let texts = Texts::new(Lang::Hans);
        assert_eq!(texts.offer_received("Ann", Offer::Draw), "Ann 提和。");
        assert_eq!(texts.offer_received("小明", Offer::Draw), "小明提和。");
        assert_eq!(texts.to_move_headline("Ann"), "轮到 Ann");
        assert_eq!(texts.to_move_headline("小 明"), "轮到小 明");
    }

    #[test]
    fn the_phrases_of_a_language_differ_and_fit_the_menu() {
        for lang in Lang::ALL {
            let mut texts = Phrase::ALL
                .map(|phrase| Texts::new(lang).phrase(phrase))
                .to_vec();
            assert!(
                texts
                    .iter()
                    .all(|text| unicode_width::UnicodeWidthStr::width(*text) <= 24),
                "{lang}"
            );
            texts.sort_unstable();
            texts.dedup();
            assert_eq!(texts.len(), Phrase::ALL.len(), "{lang}");
        }
    }
}
