//! Resuming: a lost connection costs neither the seat, nor events, nor a response.

use noughts_protocol::wire::{Message, Request, RequestBody, RoomCommand, SessionRequest};
use noughts_protocol::{Game, Offer, RequestId, Seat, Seq};
use noughts_tests::client::game_setup::{pair_players, play_moves, room_ref, untimed_view};
use noughts_tests::server::TestServer;

fn seqs(response: &Message) -> Vec<u64> {
    let Message::Events {
        re: Some(_),
        events,
        ..
    } = response
    else {
        panic!("{response:?}")
    };
    events.iter().map(|event| event.seq.get()).collect()
}

#[tokio::test]
async fn resume_from_any_seq_reaches_the_same_state() {
    let server = TestServer::start_with_limits(|limits| limits.resume_buffer = 6).await;
    let mut players = pair_players(&server, "5x5:5", None).await;
    let mut seat_infos = vec![players[1].seat_info().clone()];
    for cell in 0..9 {
        play_moves(&mut players, &[cell]).await;
        seat_infos.push(players[1].seat_info().clone());
    }
    let [x, o] = players;
    let (now, mut previous) = (o.game().seq(), Some(o));
    for seat_info in seat_infos {
        let seq = seat_info.game.seq();
        let mut client = server.connect_client("Bob").await;
        let response = client
            .resume(&seat_info, Some(seq))
            .await
            .expect("the holder's token");
        if now.get() - seq.get() <= 6 {
            assert_eq!(
                seqs(&response),
                (seq.get() + 1..=now.get()).collect::<Vec<_>>()
            );
        } else {
            assert!(
                matches!(response, Message::Snapshot { re: Some(_), .. }),
                "{response:?}"
            );
        }
        assert_eq!(
            untimed_view(client.game()),
            untimed_view(x.game()),
            "from {seq}"
        );
        assert_eq!(
            previous
                .replace(client)
                .expect("held")
                .wait_for_close()
                .await,
            Some(4002)
        );
    }
    // Without an event number, or with a number that does not exist, the server sends a snapshot.
    for seq in [
        None,
        Some(Seq::ZERO),
        Some(now.next()),
        Some(Seq::new(RequestId::MAX)),
    ] {
        let mut client = server.connect_client("Bob").await;
        let seat_info = previous.as_ref().expect("held").seat_info().clone();
        let response = client
            .resume(&seat_info, seq)
            .await
            .expect("the holder's token");
        let Message::Snapshot { role, .. } = &response else {
            panic!("{seq:?}: {response:?}")
        };
        assert_eq!(role.seat, Some(Seat::O));
        assert!(role.token.is_some());
        previous = Some(client);
    }
}

#[tokio::test]
async fn a_seat_can_be_resumed_in_every_phase() {
    let server = TestServer::start().await;
    // While the room waits: the connection of its creator breaks before the opponent joins.
    let mut host = server.connect_client("Host").await;
    let code = host.create("3x3:3", None, Some(Seat::X), false).await;
    let seat_info = host.disconnect();
    let mut host = server.connect_client("Host").await;
    host.resume(&seat_info, None).await.expect("still waiting");
    assert_eq!(host.seat_info().role.code, seat_info.role.code);
    let mut guest = server.connect_client("Guest").await;
    guest.join(code).await.expect("the cell is free");
    host.wait_until_seq(guest.game().seq()).await;
    // After the game: the rematch continues with the same tokens.
    let mut players = [host, guest];
    play_moves(&mut players, &[0, 3, 1, 4, 2]).await;
    let [host, mut guest] = players;
    let seat_info = host.disconnect();
    let mut host = server.connect_client("Host").await;
    host.resume(&seat_info, Some(seat_info.game.seq()))
        .await
        .expect("the room is open");
    host.offer(Offer::Rematch).await.expect("over");
    guest.wait_until_seq(host.game().seq()).await;
    guest
        .send_command(RoomCommand::Accept {
            offer: Offer::Rematch,
        })
        .await
        .expect("offered");
    // A client that knows only the first game resumes in the second, with the seat swapped.
    let old = host.disconnect();
    let mut host = server.connect_client("Host").await;
    host.resume(&old, Some(old.game.seq()))
        .await
        .expect("the token stays with the player");
    host.wait_until_seq(guest.game().seq()).await;
    assert_eq!((host.seat(), guest.seat()), (Seat::O, Seat::X));
    guest.play(0).await.expect("X moves first");
    host.wait_until_seq(guest.game().seq()).await;
    host.play(1).await.expect("O answers");
    // After the player has left on purpose.
    host.request(RequestBody::Session(SessionRequest::Leave))
        .await
        .expect("in a room");
    let seat_info = host.seat_info().clone();
    host.resume(&seat_info, Some(seat_info.game.seq()))
        .await
        .expect("the seat is kept");
    guest.wait_until_seq(host.game().seq()).await;
    guest.play(2).await.expect("X is to move");
}

#[tokio::test]
async fn sync_resends_missed_events_on_the_same_connection() {
    let server = TestServer::start().await;
    let mut players = pair_players(&server, "3x3:3", None).await;
    let early_seq = players[0].game().seq();
    play_moves(&mut players, &[0, 1, 2]).await;
    let [mut x, _o] = players;
    let mut spectator = server.connect_client("Fan").await;
    spectator.watch(room_ref(&x)).await.expect("public");
    for client in [&mut x, &mut spectator] {
        let seat_info = client.room.clone().expect("in a room");
        let request = client.next_request_id();
        client
            .send(&Request::lobby(
                request,
                SessionRequest::Sync { seq: early_seq },
            ))
            .await;
        let mut earlier = seat_info.clone();
        earlier.game =
            Game::from_snapshot(&snapshot_at(&seat_info.game, early_seq)).expect("a view");
        client.room = Some(earlier);
        let response = client
            .wait_for_response(request, None)
            .await
            .expect("the message is available");
        assert_eq!(seqs(&response), [5, 6, 7]);
        assert_eq!(untimed_view(client.game()), untimed_view(&seat_info.game));
    }
}

/// Returns the snapshot at the start of the first game.
fn snapshot_at(game: &Game, seq: Seq) -> noughts_protocol::Snapshot {
    let mut snapshot = game.snapshot(0);
    (snapshot.seq, snapshot.turn) = (seq, Some(Seat::X));
    snapshot.moves.clear();
    snapshot
}
