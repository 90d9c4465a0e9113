//! Messages of the lobby.

use super::*;

/// Returns views of the lobby, and changes with each field alone.
pub(super) fn lobby_messages() -> Vec<Message> {
    const AT: u64 = 1_767_225_600_000;
    let listing = RoomListing {
        room: room(),
        rules: rules("connect4"),
        clock: clock("5+3"),
        phase: Phase::Playing,
        players: [
            Some(player("Ann", PlayerKind::Person)),
            Some(player("Bob", PlayerKind::Person)),
        ],
        moves: 12,
        spectators: 3,
        open_seat: Some(Seat::O),
    };
    let seek = ListedSeek {
        seek: SeekId(17),
        since: AT - 41_000,
        open: OpenSeek {
            player: player("Zoe", PlayerKind::Person),
            rules: rules("connect4"),
            clock: clock("5+3"),
            seat: Some(Seat::X),
            opponents: Some(PlayerKind::Person),
        },
    };
    let counts = LobbyCounts {
        persons: 41,
        bots: 6,
        waiting: 4,
        games: 9,
    };
    let changes = [
        LobbyChange {
            rooms: vec![listing.clone()],
            ..LobbyChange::default()
        },
        LobbyChange {
            rooms_gone: vec![room()],
            ..LobbyChange::default()
        },
        LobbyChange {
            seeks: vec![seek.clone()],
            counts: Some(counts),
            ..LobbyChange::default()
        },
        LobbyChange {
            seeks_gone: vec![SeekId(17)],
            ..LobbyChange::default()
        },
    ];
    let view = LobbyView {
        rooms: vec![listing],
        seeks: vec![seek],
        counts,
    };
    let mut messages = vec![
        Message::Lobby {
            re: Some(request_id(2)),
            at: AT,
            view: LobbyView::default(),
        },
        Message::Lobby {
            re: None,
            at: AT,
            view,
        },
    ];
    messages.extend(changes.map(|change| Message::LobbyChanged { at: AT, change }));
    messages
}
