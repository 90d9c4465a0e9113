//! The pushed lobby: views and changes, answers to seeks, and limits.

use noughts_protocol::wire::{
    ListedSeek, LobbyView, Message, RejectCode, Request, RequestBody, RoomCommand, SessionRequest,
};
use noughts_protocol::{Phase, PlayerKind, Seat};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::TestServer;

const SUBSCRIBE: RequestBody = RequestBody::Session(SessionRequest::Lobby { end: false });
const UNSUBSCRIBE: RequestBody = RequestBody::Session(SessionRequest::Lobby { end: true });

/// Subscribes, and returns the first view.
async fn subscribe(client: &mut TestClient) -> LobbyView {
    match client.request(SUBSCRIBE).await {
        Ok(Message::Lobby {
            re: Some(_), view, ..
        }) => view,
        other => panic!("expected the lobby: {other:?}"),
    }
}

async fn subscriber(server: &TestServer, name: &str) -> (TestClient, LobbyView) {
    let mut client = TestClient::connect_as(&server.url(), name).await;
    let view = subscribe(&mut client).await;
    (client, view)
}

/// Applies changes until the view matches.
async fn wait_for_view(
    client: &mut TestClient,
    view: &mut LobbyView,
    is_expected: impl Fn(&LobbyView) -> bool,
) {
    while !is_expected(view) {
        let message = client
            .wait_for("a change", |message| {
                matches!(
                    message,
                    Message::Lobby { .. } | Message::LobbyChanged { .. }
                )
            })
            .await;
        if let Message::Lobby { view: whole, .. } = message {
            *view = whole;
        } else if let Message::LobbyChanged { change, .. } = message {
            assert!(!change.is_empty(), "a message without a change");
            view.apply(change);
        }
    }
}

#[tokio::test]
async fn a_subscription_contains_what_the_client_did_before() {
    let server = TestServer::start().await;
    // While there is another subscriber, the feed sends changes at intervals.
    let (_ann, _) = subscriber(&server, "Ann").await;
    for number in 0..5 {
        let mut bob = server.connect_client("Bob").await;
        bob.seek("3x3:3", None, Some(Seat::X)).await;
        let mut view = subscribe(&mut bob).await;
        assert_eq!(view.seeks.len(), 1, "{number}");
        bob.request(RequestBody::Session(SessionRequest::Cancel))
            .await
            .expect("a seek");
        // A seek that began and ended between two changes appears in neither of them.
        wait_for_view(&mut bob, &mut view, |view| view.seeks.is_empty()).await;
    }
}

async fn answer(client: &mut TestClient, seek: &ListedSeek) -> Result<Message, RejectCode> {
    let request = RequestBody::Session(SessionRequest::AcceptSeek { seek: seek.seek });
    client.request(request).await.map_err(|reject| reject.code)
}

#[tokio::test]
async fn subscribers_follow_rooms_seeks_and_counts() {
    let server = TestServer::start().await;
    let (mut ann, mut view) = subscriber(&server, "Ann").await;
    assert_eq!(
        (view.rooms.len(), view.seeks.len(), view.counts.persons),
        (0, 0, 1)
    );
    let mut bob = server.connect_client("Bob").await;
    let cleo = server.connect_client("Cleo").await;
    bob.seek("7x6:4+gravity", Some("5+3"), Some(Seat::X)).await;
    wait_for_view(&mut ann, &mut view, |view| view.seeks.len() == 1).await;
    let seek = &view.seeks[0].open;
    assert_eq!(
        (seek.player.name.as_str(), seek.seat),
        ("Bob", Some(Seat::X))
    );
    assert_eq!((view.counts.persons, view.counts.waiting), (3, 1));

    bob.request(RequestBody::Session(SessionRequest::Cancel))
        .await
        .expect("a seek");
    bob.create("3x3:3", None, Some(Seat::X), true).await;
    wait_for_view(&mut ann, &mut view, |view| {
        view.seeks.is_empty() && view.rooms.len() == 1
    })
    .await;
    assert_eq!(
        (view.rooms[0].phase, view.counts.waiting),
        (Phase::Waiting, 0)
    );
    let room = view.rooms[0].room;

    // The subscription also works in a room.
    ann.join(noughts_protocol::RoomRef::Id(room))
        .await
        .expect("a free seat");
    wait_for_view(&mut ann, &mut view, |view| {
        view.rooms[0].phase == Phase::Playing
    })
    .await;
    bob.wait_until_seq(ann.game().seq()).await;
    bob.play(0).await.expect("X is to move");
    drop(cleo);
    wait_for_view(&mut ann, &mut view, |view| {
        view.rooms[0].moves == 1 && (view.counts.games, view.counts.persons) == (1, 2)
    })
    .await;
    bob.send_command(RoomCommand::Resign).await.expect("a game");
    ann.request(RequestBody::Session(SessionRequest::Leave))
        .await
        .expect("in a room");
    bob.request(RequestBody::Session(SessionRequest::Leave))
        .await
        .expect("in a room");
    wait_for_view(&mut ann, &mut view, |view| view.rooms.is_empty()).await;
    // The counts are sent with the next change of the seeks.
    bob.seek("3x3:3", None, None).await;
    wait_for_view(&mut ann, &mut view, |view| view.seeks.len() == 1).await;
    assert_eq!(view.counts.games, 0);
}

/// The host of a listed room must be present, because a client must not offer its user a seat beside an absent host.
#[tokio::test]
async fn a_room_is_not_listed_while_its_host_is_absent() {
    let server = TestServer::start().await;
    let (mut ann, mut view) = subscriber(&server, "Ann").await;
    let mut bob = server.connect_client("Bob").await;
    bob.create("3x3:3", None, Some(Seat::X), true).await;
    wait_for_view(&mut ann, &mut view, |view| view.rooms.len() == 1).await;
    let seat = bob.disconnect();
    wait_for_view(&mut ann, &mut view, |view| view.rooms.is_empty()).await;
    let listed = ann
        .request(RequestBody::Session(SessionRequest::List))
        .await;
    assert!(
        matches!(&listed, Ok(Message::Rooms { rooms, .. }) if rooms.is_empty()),
        "{listed:?}"
    );
    let mut bob = server.connect_client("Bob").await;
    bob.resume(&seat, None).await.expect("the host's token");
    wait_for_view(&mut ann, &mut view, |view| view.rooms.len() == 1).await;
    assert_eq!(view.rooms[0].room, seat.id);

    // A game is listed although a player is absent.
    let room = noughts_protocol::RoomRef::Id(seat.id);
    ann.join(room).await.expect("a free seat");
    bob.disconnect();
    wait_for_view(&mut ann, &mut view, |view| {
        view.rooms.len() == 1 && view.counts.persons == 1
    })
    .await;
}

#[tokio::test]
async fn private_rooms_are_counted_but_not_listed() {
    let server = TestServer::start().await;
    let (mut ann, mut view) = subscriber(&server, "Ann").await;
    let mut bob = server.connect_client("Bob").await;
    let room = bob.create("3x3:3", None, None, false).await;
    let mut bot = TestClient::connect_as_bot(&server.url(), "Bot").await;
    bot.join(room).await.expect("a free seat");
    wait_for_view(&mut ann, &mut view, |view| view.counts.games == 1).await;
    assert_eq!(
        (view.rooms.len(), view.counts.persons, view.counts.bots),
        (0, 2, 1)
    );
}

#[tokio::test]
async fn an_answer_begins_the_game_of_its_seek() {
    let server = TestServer::start().await;
    let (mut ann, mut view) = subscriber(&server, "Ann").await;
    let mut others = Vec::new();
    for name in ["Bob", "Cleo"] {
        let mut client = server.connect_client(name).await;
        client.seek("3x3:3", Some("5+3"), Some(Seat::X)).await;
        others.push(client);
    }
    wait_for_view(&mut ann, &mut view, |view| view.seeks.len() == 2).await;
    let found = view
        .seeks
        .iter()
        .find(|listed| listed.open.player.name.as_str() == "Cleo");
    let cleos = found.expect("a seek").clone();
    let (answered, _) =
        futures::future::join(answer(&mut ann, &cleos), others[1].next_snapshot()).await;
    let Ok(Message::Snapshot {
        re: Some(_), role, ..
    }) = answered
    else {
        panic!("{answered:?}")
    };
    assert_eq!(role.seat, Some(Seat::O));
    assert_eq!(
        others[1].seat_info().id,
        ann.seat_info().id,
        "not the older seek of Bob"
    );
    assert_eq!(
        answer(&mut ann, &cleos).await.unwrap_err(),
        RejectCode::AlreadyInRoom
    );
    let (mut dan, view) = subscriber(&server, "Dan").await;
    assert_eq!(
        answer(&mut dan, &cleos).await.unwrap_err(),
        RejectCode::NoOffer,
        "no longer open"
    );
    // After the reject the connection is idle, so it can answer another seek.
    let (answered, _) =
        futures::future::join(answer(&mut dan, &view.seeks[0]), others[0].next_snapshot()).await;
    answered.expect("the seek of Bob");
}

#[tokio::test]
async fn a_subscription_ends_on_request() {
    let server = TestServer::start().await;
    let (mut ann, _) = subscriber(&server, "Ann").await;
    for _ in 0..2 {
        assert!(matches!(
            ann.request(UNSUBSCRIBE).await,
            Ok(Message::Done { .. })
        ));
    }
    let (mut bob, mut view) = subscriber(&server, "Bob").await;
    let mut cleo = server.connect_client("Cleo").await;
    cleo.seek("3x3:3", None, None).await;
    wait_for_view(&mut bob, &mut view, |view| view.seeks.len() == 1).await;
    // The next message to Ann is the response to her request, although Bob has received a change before it.
    let view = subscribe(&mut ann).await;
    assert_eq!(view.seeks.len(), 1);
    let is_change = |message: &Message| matches!(message, Message::LobbyChanged { .. });
    cleo.request(RequestBody::Session(SessionRequest::Cancel))
        .await
        .expect("a seek");
    ann.wait_for("a change", is_change).await;
}

/// Repeated subscriptions count against the budget of long responses, as requests for lists do.
#[tokio::test]
async fn repeated_subscriptions_are_limited() {
    let server =
        TestServer::start_with_limits(|limits| limits.reply_bytes_per_second = 3_072).await;
    let (mut ann, _) = subscriber(&server, "Ann").await;
    let mut pending = Vec::new();
    for _ in 0..48 {
        let id = ann.next_request_id();
        ann.send(&Request {
            id,
            body: SUBSCRIBE,
        })
        .await;
        pending.push(id);
    }
    let mut rejects = Vec::new();
    for id in pending {
        rejects.extend(ann.wait_for_response(id, None).await.err());
    }
    assert!(rejects.len() >= 8, "{} rejects", rejects.len());
    assert!(
        rejects
            .iter()
            .all(|reject| reject.code == RejectCode::RateLimited && reject.wait_ms.is_some())
    );
}

#[tokio::test]
async fn a_person_who_wants_people_is_not_paired_with_a_bot() {
    let server = TestServer::start().await;
    let mut bot = TestClient::connect_as_bot(&server.url(), "Robot").await;
    bot.seek("3x3:3", None, None).await;
    let mut ann = server.connect_client("Ann").await;
    let seek = |opponents| {
        RequestBody::Session(SessionRequest::Seek {
            rules: "3x3:3".parse().expect("rules"),
            clock: None,
            seat: None,
            opponents,
        })
    };
    ann.request(seek(Some(PlayerKind::Person)))
        .await
        .expect("a seek");
    let view = subscribe(&mut ann).await;
    let [of_bot, of_ann] = &view.seeks[..] else {
        panic!("two seeks wait: {:?}", view.seeks)
    };
    assert_eq!(
        (of_bot.open.opponents, of_ann.open.opponents),
        (None, Some(PlayerKind::Person))
    );
    let mut other = TestClient::connect_as_bot(&server.url(), "Other").await;
    let rejected = answer(&mut other, of_ann).await;
    assert_eq!(rejected.err(), Some(RejectCode::NoOffer));

    // A person is paired with Ann, although the seek of the bot is older.
    let mut bob = server.connect_client("Bob").await;
    bob.request(seek(None)).await.expect("a seek");
    ann.next_snapshot().await;
    let players = Seat::ALL.map(|seat| ann.game().player(seat).map(|player| player.kind));
    assert_eq!(players, [Some(PlayerKind::Person); 2]);
}
