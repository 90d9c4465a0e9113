//! The sentence of each note.

use noughts_protocol::wire::{Presence, RejectCode};
use noughts_protocol::{Cell, Closing, Line, Offer, Outcome, Rules, Seat};

use super::Words;
use super::refusal::{sentence, shown};
use crate::model::{Answer, Ask, Next, Note, ScanName, Who};
use crate::server_url::ServerUrl;
use crate::unfinished::{TakeError, Unfinished};

impl Words {
    /// A note as one sentence or two. What takes a picture (the board, lists, help) the views draw.
    pub fn note(self, note: &Note) -> String {
        match note {
            Note::Connecting(server) => format!("Connecting to {server}."),
            Note::Connected { name, .. } => format!("Connected as {name}."),
            Note::Offline { why, retry_in } => {
                format!(
                    "The connection is lost: {}. Trying again in {}.",
                    self.offline(why),
                    self.duration(*retry_in)
                )
            }
            Note::Back => "The connection is back.".to_owned(),
            Note::Ended { ended, server } => self.ended(ended, server),
            Note::RoomGone => "The server no longer knows this room, or your seat in it.".to_owned(),
            Note::Restarting { back_in } => {
                format!("The server restarts and is back in {}.", self.duration(*back_in))
            }
            Note::Seeking { rules, clock } => {
                format!("Waiting for an opponent: {}, {}.", self.rules(rules), self.control(*clock))
            }
            Note::Invite { rules, clock, .. } => {
                format!("Waiting in your room: {}, {}.", self.rules(rules), self.control(*clock))
            }
            Note::BotInvited(level) => format!("A bot is on its way (level {level})."),
            Note::Joined { rules, clock, players, you, next } => {
                let player = |seat: Seat| match &players[seat.index()] {
                    Some(player) => format!("{} ({seat})", self.player(player)),
                    None => format!("nobody ({seat})"),
                };
                let part = match you {
                    Some(seat) => format!("You have {seat}"),
                    None => "You watch".to_owned(),
                };
                let game = format!("{}, {}", self.rules(rules), self.control(*clock));
                let (x, o) = (player(Seat::X), player(Seat::O));
                format!("{part}: {x} against {o}, {game}.{}", self.next(next))
            }
            Note::Rooms { rooms, seeks, .. } => {
                format!("Rooms: {}. Waiting to be paired: {}.", rooms.len(), seeks.len())
            }
            Note::Seated(who) => format!("{} has sat down to play {}.", who.name, who.seat),
            Note::Started { number, rules, players: [x, o], next } => {
                let has = |who: &Who| {
                    if who.you {
                        format!("you have {}", who.seat)
                    } else {
                        format!("{} has {}", who.name, who.seat)
                    }
                };
                let game = format!("Game {number} begins, {}", self.rules(rules));
                format!("{game}: {}, {}.{}", has(x), has(o), self.next(next))
            }
            Note::Moved { who, cell, rules, next } => {
                let moved = self.verb(who, "play", "plays");
                format!("{moved} {}.{}", rules.cell_text(*cell), self.next(next))
            }
            Note::Offered { who, offer } => self.offered(who, *offer),
            Note::Declined { who, offer } => {
                format!("{}: no to {}.", self.who(who), self.offer(*offer))
            }
            Note::TakenBack { plies, next } => {
                let taken = if *plies == 1 { "One move is".to_owned() } else { format!("{plies} moves are") };
                format!("{taken} taken back.{}", self.next(next))
            }
            Note::Over { outcome, rules, players, score } => {
                format!("{} Score: {}.", self.outcome(outcome, rules, players), self.score(players, *score))
            }
            Note::Hint => "Type a cell to play it, b for the board, help for more.".to_owned(),
            Note::Studying => self.studying().to_owned(),
            Note::Values(values) => self.best_cells(values),
            Note::Review(review) => self.losing_mistake(review),
            Note::PlayAgain => "Play again? y or n.".to_owned(),
            Note::Closed(Closing::Deserted) => "The room is closed: both players have gone.".to_owned(),
            Note::Closed(Closing::Idle) => {
                "The room is closed: nothing has happened for too long.".to_owned()
            }
            Note::Presence { who, presence, claim_in } => {
                let left = claim_in.map(|claim_in| format!(", {} left to return", self.duration(claim_in)));
                format!("{} {}{}.", self.who(who), self.presence(*presence), left.unwrap_or_default())
            }
            Note::Claimable(who) => {
                let who = self.who(who);
                format!("{who} did not return: on its turn type claim win or claim draw.")
            }
            Note::Watching(count) => sentence(&self.watching(*count)),
            Note::Refused { ask, reject } => {
                if let (Some(Ask::Goal), RejectCode::RoomFull) = (ask, reject.code) {
                    return "Both seats of this room are taken: noughts watch shows the game.".to_owned();
                }
                format!("Refused: {}.", self.reject(reject))
            }
            Note::Unsent(error) => self.unsent(*error).to_owned(),
            Note::Illegal { reject, cell } => format!("{cell}: {}.", self.reject(reject)),
            Note::NotNow(why) => self.not_now(*why).to_owned(),
            Note::Unreadable { text, error } => self.typed(text, error),
            Note::Asked { field, .. } => self.field(field.id).to_owned(),
            Note::Field(error) => self.field_error(*error),
            Note::InputEnded => "No more input: leaving the game.".to_owned(),
            Note::Keys(order) => format!("Digits are in {} order.", order.as_str()),
            Note::Saved(path) => format!("The game is written to {}.", shown(path)),
            Note::NotSaved { path, error } => format!("Cannot write {}: {}.", shown(path), shown(error)),
            Note::NotRead { path, error } => format!("Cannot read {}: {}.", shown(path), shown(error)),
            Note::BadRecord { path, error } => format!("{}: {error}.", shown(path)),
            Note::Record { players: [x, o], .. } => format!("{} (X) against {} (O).", shown(x), shown(o)),
            Note::Bye(_) => "Goodbye.".to_owned(),
            Note::Answer(answer) => self.answer(answer),
            Note::Menu { .. } => self.tagline().to_owned(),
            Note::MayContinue(game) => {
                format!(
                    "A game is not finished: {}. noughts continue goes on with it.",
                    self.to_continue(game)
                )
            }
            Note::NothingToContinue => "There is no such game to continue any more.".to_owned(),
            Note::NotContinued(TakeError::Held) => "Another noughts plays this game already.".to_owned(),
            Note::NotContinued(TakeError::Gone) => self.note(&Note::NothingToContinue),
            Note::NotContinued(TakeError::Io(error)) => {
                format!("The game cannot be continued: {}.", shown(error))
            }
            Note::NotKept(error) => {
                let why = match error {
                    TakeError::Held | TakeError::Gone => self.note(&Note::NotContinued(error.clone())),
                    TakeError::Io(error) => format!("{}.", shown(error)),
                };
                format!("If this program is killed, this game cannot be continued: {why}")
            }
            Note::Damaged(1) => "What was kept of a game was damaged, and is removed.".to_owned(),
            Note::Damaged(count) => format!("What was kept of {count} games was damaged, and is removed."),
        }
    }

    /// A game to continue: against whom, what, and where if not on this machine.
    pub fn to_continue(self, game: &Unfinished) -> String {
        let against = match &game.opponent {
            Some(name) => format!("against {name}"),
            None => "your own room".to_owned(),
        };
        let elsewhere = (game.server != ServerUrl::default()).then(|| format!(", on {}", game.server.host()));
        format!("{against}, {}{}", self.rules(&game.rules), elsewhere.unwrap_or_default())
    }

    /// The form of a verb that goes with somebody: `You play`, `Bob plays`.
    fn verb(self, who: &Who, you: &str, other: &str) -> String {
        format!("{} {}", self.who(who), if who.you { you } else { other })
    }

    /// Who is to move, behind a sentence.
    fn next(self, next: &Next) -> String {
        match next {
            Next::You => " Your move.".to_owned(),
            Next::Here(who) => format!(" {} to move.", self.who(who)),
            Next::Other => String::new(),
        }
    }

    /// That something is proposed, and how to answer.
    pub fn offered(self, who: &Who, offer: Offer) -> String {
        let offered = self.verb(who, "propose", "proposes");
        let answer = if who.you { "" } else { " Accept or decline?" };
        format!("{offered} {}.{answer}", self.offer(offer))
    }

    /// Whether somebody is there.
    pub fn presence(self, presence: Presence) -> &'static str {
        match presence {
            Presence::Here => "is here",
            Presence::Away => "is away",
            Presence::Left => "has left",
        }
    }

    /// Who won, and how.
    pub fn outcome(self, outcome: &Outcome, rules: &Rules, players: &[Who; 2]) -> String {
        let wins = |seat: Seat| self.verb(&players[seat.index()], "win", "wins");
        let loser = |winner: Seat| self.who(&players[winner.other().index()]);
        match outcome {
            Outcome::Line { winner, line } if rules.misere() => {
                let (wins, loser) = (wins(*winner), loser(*winner));
                format!("{wins}: {loser} completed a line. {}", self.line(line, rules))
            }
            Outcome::Line { winner, line } => format!("{}. {}", wins(*winner), self.line(line, rules)),
            Outcome::Full => "Drawn: the board is full.".to_owned(),
            Outcome::Resigned { winner } => format!("{}: the other resigned.", wins(*winner)),
            Outcome::Flag { winner } => format!("{}: the other's time is over.", wins(*winner)),
            Outcome::Agreed => "Drawn by agreement.".to_owned(),
            Outcome::Abandoned { winner: Some(winner) } => {
                format!("{}: the other did not return.", wins(*winner))
            }
            Outcome::Abandoned { winner: None } => "Drawn: a player did not return.".to_owned(),
        }
    }

    /// The line that ended a game, with its cells.
    pub fn line(self, line: &Line, rules: &Rules) -> String {
        let name = sentence(self.line_name(line.name));
        format!("{}: {}.", name.trim_end_matches('.'), self.cells(&line.cells, rules))
    }

    /// Cells in order.
    pub fn cells(self, cells: &[Cell], rules: &Rules) -> String {
        cells.iter().map(|&cell| rules.cell_text(cell)).collect::<Vec<_>>().join(" ")
    }

    fn answer(self, answer: &Answer) -> String {
        match answer {
            Answer::Board { position, .. } => self.rules(position.rules()),
            Answer::Scan { name, cells, rules } => self.scan(*name, cells, rules),
            Answer::Marks { who, cells, rules } if cells.is_empty() => {
                format!("{} no mark yet on {}.", self.verb(who, "have", "has"), self.rules(rules))
            }
            Answer::Marks { who, cells, rules } => {
                format!("{}: {}.", self.who(who), self.cells(cells, rules))
            }
            Answer::Last(None) => "No move yet.".to_owned(),
            Answer::Last(Some((who, cell, rules))) => {
                format!("Last: {} at {}.", self.who(who), rules.cell_text(*cell))
            }
            Answer::Clocks(None) => "This game has no clock.".to_owned(),
            Answer::Clocks(Some([(x, left_x), (o, left_o)])) => {
                let (x, o) = (self.who(x), self.who(o));
                format!("Time left: {x} {}, {o} {}.", self.clock(*left_x), self.clock(*left_o))
            }
            Answer::Opponent { who, bot, presence, lag } => {
                let kind = if *bot { "a bot" } else { "a person" };
                let lag = lag.map(|ms| format!(", lag {ms} ms")).unwrap_or_default();
                format!("{}, {kind}, {}{lag}.", self.who(who), self.presence(*presence))
            }
            Answer::Help(_) => "Help.".to_owned(),
        }
    }

    /// A row or column as runs: what a listener can follow.
    fn scan(self, name: ScanName, cells: &[(Cell, Option<Seat>)], rules: &Rules) -> String {
        let letters = rules.dimensions() <= 2;
        let head = match name {
            ScanName::Row(row) => format!("Row {}", row + 1),
            ScanName::Column(column) if letters => format!("Column {}", char::from(b'a' + column)),
            ScanName::Column(column) => format!("Column {}", column + 1),
        };
        let mut runs: Vec<String> = Vec::new();
        let mut rest = cells;
        while let Some((first, mark)) = rest.first() {
            let length = rest.iter().take_while(|(_, other)| other == mark).count();
            let (run, after) = rest.split_at(length);
            rest = after;
            let what = mark.map_or("free", |seat| self.mark(seat));
            let (from, to) = (rules.cell_text(*first), run.last().map(|(cell, _)| rules.cell_text(*cell)));
            runs.push(match to {
                Some(to) if length > 1 => format!("{what} {from} to {to}"),
                Some(_) | None => format!("{what} {from}"),
            });
        }
        format!("{head}: {}.", runs.join(", "))
    }
}
