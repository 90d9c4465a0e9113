//! Questions to a server about finished games, and their answers.

use noughts_protocol::wire::{FinishedListing, GameId, PlayerProfile, Reject};
use noughts_protocol::{Identity, Name, Player, Record, Rules, Seat, TimeControl};
use serde::{Serialize, Serializer};

use crate::connection::server_url::ServerUrl;
use crate::io::own_games::{OwnGameResult, date_of, time_of};

/// A question about finished games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArchiveQuestion {
    /// The latest games of the player who asks.
    OwnGames,
    /// The profile of the player with this identity.
    Profile(Identity),
    /// The record of a game.
    Game(GameId),
}

#[derive(Clone, Debug)]
pub(crate) enum ArchiveAnswer {
    /// The games of the player with this identity. A guest has no games.
    OwnGames(Vec<FinishedListing>, Option<Identity>),
    Profile(Box<PlayerProfile>),
    Game(Box<Record>),
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ArchiveFailure {
    Rejected(Reject),
    /// The connection failed, the server did not respond in time, or its response cannot be read.
    NoAnswer,
}

/// The player of a requested profile, and the server that has the profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProfileSubject {
    pub server: ServerUrl,
    pub identity: Identity,
    /// The player's name in the game that led to the profile.
    pub name: Name,
}

/// A finished game on a server, from the point of view of one of its players.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerGame {
    pub server: ServerUrl,
    pub listing: FinishedListing,
    /// The seat of the player.
    pub seat: Seat,
}

impl ServerGame {
    /// Returns the game from the point of view of the player with this identity.
    pub(crate) fn of(server: &ServerUrl, listing: FinishedListing, player: Identity) -> ServerGame {
        let is_o = listing.players[Seat::O.index()].identity == Some(player);
        ServerGame {
            server: server.clone(),
            seat: if is_o { Seat::O } else { Seat::X },
            listing,
        }
    }

    pub(crate) fn opponent(&self) -> &Player {
        &self.listing.players[self.seat.other().index()]
    }

    pub(crate) fn result(&self) -> OwnGameResult {
        match self.listing.result.winner() {
            None => OwnGameResult::Draw,
            Some(winner) if winner == self.seat => OwnGameResult::Won,
            Some(_) => OwnGameResult::Lost,
        }
    }

    /// Returns the date when the game ended, in UTC.
    pub(crate) fn date(&self) -> String {
        date_of(self.listing.ended)
    }
}

impl Serialize for ServerGame {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Members<'a> {
            ended: String,
            server: &'a ServerUrl,
            rules: Rules,
            clock: Option<TimeControl>,
            players: &'a [Player; 2],
            seat: Seat,
            result: OwnGameResult,
            moves: u32,
        }
        let listing = &self.listing;
        Members {
            ended: time_of(listing.ended),
            server: &self.server,
            rules: listing.rules,
            clock: listing.clock,
            players: &listing.players,
            seat: self.seat,
            result: self.result(),
            moves: listing.moves,
        }
        .serialize(serializer)
    }
}
