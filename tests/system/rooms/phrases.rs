//! Preset phrases of players.

use noughts_protocol::Seat;
use noughts_protocol::wire::{Message, Notice, Phrase, RejectCode, RequestBody, SessionRequest};
use noughts_tests::client::game_setup::room_ref;
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::TestServer;

fn say(phrase: Phrase) -> RequestBody {
    RequestBody::Session(SessionRequest::Say { phrase })
}

async fn next_phrase(client: &mut TestClient) -> (Seat, Phrase) {
    let is_phrase = |message: &Message| {
        matches!(
            message,
            Message::Notice {
                notice: Notice::Phrase { .. },
                ..
            }
        )
    };
    let message = client.wait_for("a phrase", is_phrase).await;
    let Message::Notice {
        notice: Notice::Phrase { seat, phrase },
        ..
    } = message
    else {
        panic!("{message:?}")
    };
    (seat, phrase)
}

#[tokio::test]
async fn a_phrase_reaches_all_members() {
    let server = TestServer::start().await;
    let (mut ann, mut bob) = (
        server.connect_client("Ann").await,
        server.connect_client("Bob").await,
    );
    let room = ann.create("3x3:3", None, Some(Seat::X), true).await;
    assert_eq!(
        ann.expect_reject(say(Phrase::Hello)).await,
        RejectCode::NotStarted
    );
    bob.join(room).await.expect("a free seat");
    let mut eve = server.connect_client("Eve").await;
    eve.watch(room_ref(&bob)).await.expect("public");

    assert!(matches!(
        bob.request(say(Phrase::GoodLuck)).await,
        Ok(Message::Done { seq: None, .. })
    ));
    for member in [&mut ann, &mut bob, &mut eve] {
        assert_eq!(next_phrase(member).await, (Seat::O, Phrase::GoodLuck));
    }
    assert_eq!(
        eve.expect_reject(say(Phrase::Hello)).await,
        RejectCode::NotAPlayer
    );
}

#[tokio::test]
async fn phrases_of_a_seat_are_limited() {
    let server = TestServer::start().await;
    let (mut ann, mut bob) = (
        server.connect_client("Ann").await,
        server.connect_client("Bob").await,
    );
    let room = ann.create("3x3:3", None, Some(Seat::X), true).await;
    bob.join(room).await.expect("a free seat");
    ann.wait_until_seq(bob.game().seq()).await;
    for phrase in [Phrase::Hello, Phrase::GoodLuck, Phrase::HaveFun] {
        ann.request(say(phrase)).await.expect("within the burst");
    }
    let reject = ann.request(say(Phrase::Oops)).await.expect_err("one more");
    assert_eq!(reject.code, RejectCode::RateLimited);
    assert!(
        reject
            .wait_ms
            .is_some_and(|wait_ms| (1..=4000).contains(&wait_ms)),
        "{reject:?}"
    );
    bob.request(say(Phrase::Thanks))
        .await
        .expect("the other seat");
}
