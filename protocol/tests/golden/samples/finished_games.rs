//! Requests and messages about finished games.

use noughts_protocol::wire::{
    FinishedListing, GameCounts, GameId, GamesFilter, PlayerProfile, RulesCounts,
};

use super::*;

pub(super) fn requests() -> [SessionRequest; 5] {
    [
        SessionRequest::Games(GamesFilter::default()),
        SessionRequest::Games(GamesFilter {
            of: Some(identity()),
            with: Some(opponent()),
            rules: Some(rules("connect4")),
            before: Some(GameId(812)),
            limit: Some(20),
        }),
        SessionRequest::Game { game: GameId(811) },
        SessionRequest::Profile { of: None },
        SessionRequest::Profile {
            of: Some(identity()),
        },
    ]
}

fn opponent() -> Identity {
    "3n8kxw2tq9v7c3hmr5eyb1dz6g".parse().unwrap()
}

/// Lists and profiles with each optional field present and absent.
pub(super) fn messages() -> Vec<Message> {
    const ENDED: u64 = 1_767_225_600_000;
    let ann = Player {
        identity: Some(identity()),
        ..player("Ann", PlayerKind::Person)
    };
    let listing = FinishedListing {
        game: GameId(811),
        room: room(),
        number: 2,
        ended: ENDED,
        rules: rules("connect4"),
        clock: clock("5+3"),
        players: [ann.clone(), player("Bob", PlayerKind::Bot)],
        result: "X line".parse().unwrap(),
        moves: 23,
    };
    let drawn = FinishedListing {
        game: GameId(7),
        rules: rules("3x3:3"),
        clock: None,
        result: "draw full".parse().unwrap(),
        moves: 9,
        ..listing.clone()
    };
    let re = request_id(12);
    let record =
        "[Rules \"3x3:3\"]\n[X \"Ann\"]\n[O \"Bob\"]\n[Result \"X resignation\"]\n\n1. b2 a1\n";
    let profile = PlayerProfile {
        player: ann,
        first_seen: ENDED - 86_400_000,
        rules: vec![RulesCounts {
            rules: rules("connect4"),
            counts: GameCounts {
                wins: 12,
                draws: 1,
                losses: 8,
            },
        }],
        against_you: Some(GameCounts {
            wins: 2,
            draws: 0,
            losses: 3,
        }),
        games: vec![listing.clone()],
    };
    let own = PlayerProfile {
        against_you: None,
        ..profile.clone()
    };
    vec![
        Message::Games {
            re,
            games: vec![],
            before: Some(GameId(790)),
        },
        Message::Games {
            re,
            games: vec![listing, drawn],
            before: None,
        },
        Message::Game {
            re,
            game: GameId(811),
            record: record.to_owned(),
        },
        Message::Profile {
            re,
            profile: Box::new(profile),
        },
        Message::Profile {
            re,
            profile: Box::new(own),
        },
    ]
}
