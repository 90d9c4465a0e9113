//! A lobby that a server pushes, for tests without a server.

use noughts_protocol::wire::{ListedSeek, LobbyView, OpenSeek, SeekId};

use super::*;

/// Returns a person's seek for 3x3 that began at 19 s.
pub(crate) fn listed_seek(number: u64, name: &str, seat: Option<Seat>) -> ListedSeek {
    let player = Player::guest(name.parse().unwrap(), PlayerKind::Person);
    ListedSeek {
        seek: SeekId(number),
        since: 19_000,
        open: OpenSeek {
            player,
            rules: "3x3:3".parse().unwrap(),
            clock: None,
            seat,
            opponents: Some(PlayerKind::Person),
        },
    }
}

/// Returns a lobby with open seeks with these numbers and names, and with these rooms, each with a free seat.
pub(crate) fn lobby_view(seeks: &[(u64, &str)], rooms: &[&str]) -> LobbyView {
    let seeks = seeks.iter();
    let rooms = rooms.iter();
    LobbyView {
        rooms: rooms.map(|room| listing(room, Phase::Waiting)).collect(),
        seeks: seeks
            .map(|(number, name)| listed_seek(*number, name, None))
            .collect(),
        ..LobbyView::default()
    }
}

impl TestPlayer {
    /// Creates a player in a lobby that the server pushes.
    pub(crate) fn in_lobby(view: LobbyView) -> TestPlayer {
        let goal = SessionGoal::Browse;
        let mut player = TestPlayer::connecting(Mode::Full, ServerUrl::local(), goal);
        player.connect();
        let re = Some(player.last_id());
        player.receive_message(Message::Lobby {
            re,
            at: 60_000,
            view,
        });
        player
    }

    pub(crate) fn change_lobby(&mut self, from: &LobbyView, to: &LobbyView) {
        let (at, change) = (61_000, from.changes_to(to));
        self.receive_message(Message::LobbyChanged { at, change });
    }
}
