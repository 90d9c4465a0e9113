//! A bot's policy: rules, clocks, opponents and number of games. Pure.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use noughts_protocol::wire::{LobbyView, RoomListing, SessionRequest};
use noughts_protocol::{Name, Phase, Player, PlayerKind, RoomRef, Rules, TimeControl};

/// Games and opponents that a bot accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Rules that the bot plays. Its seeks rotate through them. Never empty.
    pub rules: Vec<Rules>,
    /// Whether the bot accepts games with any other rules too.
    pub accepts_all_rules: bool,
    /// Time controls that the bot accepts.
    pub clocks: Clocks,
    /// Number of concurrent games, each on its own connection: 1 to `MAX_CONCURRENT_GAMES`.
    pub concurrent_games: u32,
    /// Minimum time for a move against a person.
    pub min_move_time: Duration,
    /// Whether the bot joins public rooms with a waiting player.
    pub join_public: bool,
}

/// Time controls that a bot accepts. The text form is `any`, `none`, `5+3` or a range such as `1+0..10+5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clocks {
    /// Any time control, or none. The bot's own seeks have no clock.
    Any,
    /// Games without a clock.
    None,
    /// Time controls between these two, in both base and increment. The bot's own seeks use the first of the two.
    Between(TimeControl, TimeControl),
}

/// Error for a text that is not a range of time controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not_clocks")]
pub struct ParseClocksError;

impl Clocks {
    fn advertised_clock(self) -> Option<TimeControl> {
        match self {
            Clocks::Any | Clocks::None => None,
            Clocks::Between(from, _) => Some(from),
        }
    }

    fn accepts_clock(self, clock: Option<TimeControl>) -> bool {
        match (self, clock) {
            (Clocks::Any, _) | (Clocks::None, None) => true,
            (Clocks::None, Some(_)) | (Clocks::Between(..), None) => false,
            (Clocks::Between(from, to), Some(clock)) => {
                (from.base_ms()..=to.base_ms()).contains(&clock.base_ms())
                    && (from.increment_ms()..=to.increment_ms()).contains(&clock.increment_ms())
            }
        }
    }
}

impl From<Option<TimeControl>> for Clocks {
    fn from(clock: Option<TimeControl>) -> Clocks {
        clock.map_or(Clocks::None, |clock| Clocks::Between(clock, clock))
    }
}

impl fmt::Display for Clocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Clocks::Any => f.write_str("any"),
            Clocks::None => f.write_str("none"),
            Clocks::Between(from, to) if from == to => from.fmt(f),
            Clocks::Between(from, to) => write!(f, "{from}..{to}"),
        }
    }
}

impl FromStr for Clocks {
    type Err = ParseClocksError;

    fn from_str(text: &str) -> Result<Clocks, ParseClocksError> {
        match text {
            "any" => return Ok(Clocks::Any),
            "none" => return Ok(Clocks::None),
            _ => {}
        }
        let clock = |text: &str| text.parse::<TimeControl>().map_err(|_| ParseClocksError);
        let (from, to) = match text.split_once("..") {
            Some((from, to)) => (clock(from)?, clock(to)?),
            None => (clock(text)?, clock(text)?),
        };
        let range = Clocks::Between(from, to);
        if range.accepts_clock(Some(from)) && range.accepts_clock(Some(to)) {
            Ok(range)
        } else {
            Err(ParseClocksError)
        }
    }
}

impl Policy {
    /// Creates a policy for one game at a time by these rules, without a clock.
    pub fn new(rules: Rules) -> Policy {
        Policy {
            rules: vec![rules],
            accepts_all_rules: false,
            clocks: Clocks::None,
            concurrent_games: 1,
            min_move_time: Duration::ZERO,
            join_public: false,
        }
    }

    /// Returns whether the bot plays games with these rules and this clock.
    fn suits(&self, rules: &Rules, clock: Option<TimeControl>) -> bool {
        (self.accepts_all_rules || self.rules.contains(rules)) && self.clocks.accepts_clock(clock)
    }

    /// Returns the bot's seek number `turn` (zero-based).
    pub(super) fn next_seek(&self, turn: usize) -> SessionRequest {
        SessionRequest::Seek {
            rules: self.rules[turn % self.rules.len()],
            clock: self.clocks.advertised_clock(),
            seat: None,
            opponents: None,
        }
    }

    /// Returns a request that starts a game with a client of the lobby: it accepts a seek, substitutes for a player, or
    /// joins a player who waits in a room. Prefers people. Skips bots named `own_name`, because they are connections of
    /// the same bot.
    pub(super) fn choose_from_lobby(
        &self,
        view: &LobbyView,
        own_name: &Name,
    ) -> Option<SessionRequest> {
        let is_acceptable =
            |player: &Player| player.kind == PlayerKind::Person || player.name != *own_name;
        let seeks = view
            .seeks
            .iter()
            .filter(|listed| listed.open.admits(PlayerKind::Bot))
            .filter(|listed| self.suits(&listed.open.rules, listed.open.clock))
            .map(|listed| {
                (
                    &listed.open.player,
                    SessionRequest::AcceptSeek { seek: listed.seek },
                )
            });
        let rooms = view
            .rooms
            .iter()
            .filter(|room| self.suits(&room.rules, room.clock))
            .filter_map(|room| {
                let waiting = match room.open_seat {
                    Some(seat) => room.players[seat.other().index()].as_ref(),
                    None if self.join_public && room.phase == Phase::Waiting => sole_player(room),
                    None => None,
                };
                Some((
                    waiting?,
                    SessionRequest::Join {
                        room: RoomRef::Id(room.room),
                    },
                ))
            });
        let acceptable = seeks
            .chain(rooms)
            .filter(|(player, _)| is_acceptable(player));
        // Among equally suitable requests, takes the first in the order of the lobby.
        acceptable
            .min_by_key(|(player, _)| player.kind == PlayerKind::Bot)
            .map(|(_, request)| request)
    }
}

/// Returns the player of a room that has exactly one taken seat.
fn sole_player(room: &RoomListing) -> Option<&Player> {
    match &room.players {
        [Some(player), None] | [None, Some(player)] => Some(player),
        [Some(_), Some(_)] | [None, None] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bot::tests::{listed_seek, player};
    use noughts_protocol::RoomId;
    use noughts_protocol::wire::{ListedSeek, OpenSeek, SeekId};

    #[test]
    fn clocks_round_trip() {
        for text in ["any", "none", "5+3", "30s+0", "1+0..10+5"] {
            assert_eq!(text.parse::<Clocks>().unwrap().to_string(), text);
        }
        for wrong in [
            "",
            "5",
            "10+0..5+0",
            "5+5..5+0",
            "1+0..",
            "..5+3",
            "1+0..2+0..3+0",
        ] {
            assert_eq!(wrong.parse::<Clocks>(), Err(ParseClocksError), "{wrong}");
        }
        let clocks: Clocks = "1+0..10+5".parse().unwrap();
        for (clock, allowed) in [
            ("1+0", true),
            ("5+3", true),
            ("10+5", true),
            ("10+6", false),
            ("30s+0", false),
        ] {
            assert_eq!(
                clocks.accepts_clock(Some(clock.parse().unwrap())),
                allowed,
                "{clock}"
            );
        }
        assert!(!clocks.accepts_clock(None) && Clocks::None.accepts_clock(None));
    }

    fn seek(name: &str, rules: &str, clock: Option<&str>) -> OpenSeek {
        let clock = clock.map(|clock| clock.parse().unwrap());
        OpenSeek {
            clock,
            ..listed_seek(0, name, rules).open
        }
    }

    fn listing(name: &str, rules: &str) -> RoomListing {
        RoomListing {
            room: RoomId::from_bits(7),
            rules: rules.parse().unwrap(),
            clock: None,
            phase: Phase::Waiting,
            players: [None, Some(player(name))],
            moves: 0,
            spectators: 0,
            open_seat: None,
        }
    }

    fn policy() -> Policy {
        let mut policy = Policy::new("3x3:3".parse().unwrap());
        policy.rules.push("7x6:4+gravity".parse().unwrap());
        policy.join_public = true;
        policy
    }

    fn check(policy: &Policy, rooms: &[RoomListing], seeks: &[OpenSeek], expected: Option<&str>) {
        let listed = (0..).zip(seeks).map(|(number, open)| ListedSeek {
            seek: SeekId(number),
            since: 0,
            open: open.clone(),
        });
        let view = LobbyView {
            rooms: rooms.to_vec(),
            seeks: listed.collect(),
            ..LobbyView::default()
        };
        let chosen = policy.choose_from_lobby(&view, &"Bot own".parse().unwrap());
        let text = chosen.map(|request| {
            if let SessionRequest::AcceptSeek { seek } = request {
                let seek = &seeks[usize::try_from(seek.0).unwrap()];
                let clock = seek
                    .clock
                    .map_or_else(String::new, |clock| clock.to_string());
                format!("{} {clock}", seek.rules)
            } else {
                assert!(
                    matches!(request, SessionRequest::Join { .. }),
                    "{request:?}"
                );
                "join".to_owned()
            }
        });
        assert_eq!(text.as_deref(), expected);
    }

    fn check_seeks(policy: &Policy, seeks: &[OpenSeek], expected: Option<&str>) {
        check(policy, &[], seeks, expected);
    }

    fn check_rooms(policy: &Policy, rooms: &[RoomListing], expected: Option<&str>) {
        check(policy, rooms, &[], expected);
    }

    #[test]
    fn people_are_preferred_to_bots() {
        let own = seek("Bot own", "3x3:3", None);
        let bot = seek("Bot other", "3x3:3", None);
        let ann = seek("Ann", "7x6:4+gravity", None);
        let policy = policy();
        let all = [own.clone(), bot.clone(), ann.clone()];
        check_seeks(&policy, &all, Some("7x6:4+gravity "));
        check_seeks(&policy, &[own.clone(), bot.clone()], Some("3x3:3 "));
        check_seeks(&policy, &[own], None);
        check_rooms(&policy, &[listing("Ann", "3x3:3")], Some("join"));
    }

    #[test]
    fn seeks_for_people_are_not_accepted() {
        let mut ann = seek("Ann", "3x3:3", None);
        ann.opponents = Some(PlayerKind::Person);
        check_seeks(&policy(), &[ann.clone()], None);
        ann.opponents = Some(PlayerKind::Bot);
        check_seeks(&policy(), &[ann], Some("3x3:3 "));
    }

    #[test]
    fn games_outside_the_policy_are_not_chosen() {
        let mut policy = policy();
        check_seeks(&policy, &[seek("Ann", "15x15:5", None)], None);
        check_seeks(&policy, &[seek("Ann", "3x3:3", Some("5+3"))], None);
        check_rooms(&policy, &[listing("Ann", "4x4:4")], None);
        let mut full = listing("Ann", "3x3:3");
        full.players = [Some(player("Bob")), Some(player("Ann"))];
        check_rooms(&policy, &[full], None);
        policy.join_public = false;
        check_rooms(&policy, &[listing("Ann", "3x3:3")], None);
        policy.clocks = "1+0..5+3".parse().unwrap();
        check_seeks(
            &policy,
            &[
                seek("Ann", "3x3:3", None),
                seek("Bob", "3x3:3", Some("3+2")),
            ],
            Some("3x3:3 3+2"),
        );
    }

    #[test]
    fn a_bot_without_rules_of_its_own_answers_any_seek() {
        let mut policy = Policy::new("3x3:3".parse().unwrap());
        (policy.accepts_all_rules, policy.clocks) = (true, Clocks::Any);
        for (rules, clock) in [
            ("7x6:4+gravity", Some("5+3")),
            ("15x15:5", None),
            ("3x3:3", Some("30s+0")),
        ] {
            let expected = format!("{rules} {}", clock.unwrap_or_default());
            check_seeks(&policy, &[seek("Ann", rules, clock)], Some(&expected));
        }
        assert!(matches!(
            policy.next_seek(1),
            SessionRequest::Seek { clock: None, .. }
        ));
    }

    #[test]
    fn seeks_rotate_through_the_rules() {
        let seeks: Vec<String> = (0..3)
            .map(|turn| format!("{:?}", policy().next_seek(turn)))
            .collect();
        assert!(seeks[0] == seeks[2] && seeks[0] != seeks[1], "{seeks:?}");
    }
}
