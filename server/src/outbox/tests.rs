use std::future::poll_fn;
use std::io::Cursor;

use futures::{FutureExt, poll};
use tokio::io::{AsyncReadExt, DuplexStream, duplex};
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::{Message as Said, WebSocket};

use super::*;

fn text(text: &str) -> Out {
    Out::Text(Frame::from(text))
}

/// The texts in all that comes until the line ends.
async fn heard(mut peer: DuplexStream) -> Vec<String> {
    let mut bytes = Vec::new();
    peer.read_to_end(&mut bytes).await.unwrap();
    let mut client = WebSocket::from_raw_socket(Cursor::new(bytes), Role::Client, None);
    let texts = std::iter::from_fn(|| client.read().ok());
    texts
        .map(|said| match &said {
            Said::Text(text) => text.to_string(),
            Said::Binary(_) | Said::Ping(_) | Said::Pong(_) | Said::Close(_) | Said::Frame(_) => {
                panic!("{said:?} is no text")
            }
        })
        .collect()
}

/// Sends what the line has not taken, as a connection does, until there is nothing more to do.
async fn send_rest(inlet: &mut Inlet, wire: &mut Wire) {
    while let Some(next) = inlet.try_next() {
        match next {
            Next::Unsent => poll_fn(|context| wire.poll_send(context)).await.unwrap(),
            Next::Out(_) | Next::Cut(_) | Next::Behind => panic!("{next:?} on a line"),
        }
    }
}

#[test]
fn what_is_made_good_by_the_next_leaves_half_of_the_queue() {
    let (outbox, mut inlet) = outbox(8);
    let mentioned: Vec<_> = (0..6).map(|_| outbox.mention(Out::Idle)).collect();
    assert_eq!(mentioned, [[Offered::Queued; 5].as_slice(), &[Offered::Full]].concat());
    let offered: Vec<_> = (0..4).map(|_| outbox.offer(Out::Idle)).collect();
    assert_eq!(offered, [Offered::Queued, Offered::Queued, Offered::Queued, Offered::Full]);
    while inlet.try_next().is_some() {}
    assert_eq!(outbox.mention(Out::Idle), Offered::Queued);
    drop(inlet);
    assert_eq!(outbox.mention(Out::Idle), Offered::Gone);
}

#[tokio::test]
async fn nothing_comes_after_a_cut() {
    let (outbox, mut inlet) = outbox(8);
    for _ in 0..3 {
        outbox.answer(Out::Idle);
    }
    assert!(inlet.try_next().is_some());
    outbox.cut(CloseCode::Replaced);
    let next = inlet.try_next();
    assert!(
        matches!(next, Some(Next::Cut(CloseCode::Replaced))),
        "whoever was cut off hears nothing of what the newer one does"
    );
    assert!(matches!(inlet.next().await, Next::Cut(CloseCode::Replaced)));
}

#[tokio::test]
async fn what_a_line_takes_at_once_wakes_no_connection() {
    let (line, peer) = duplex(1024);
    let (outbox, mut inlet, wire) = over(line, 1);
    {
        let mut next = std::pin::pin!(inlet.next());
        assert!(poll!(&mut next).is_pending());
        for said in ["one", "two", "three"] {
            assert_eq!(outbox.offer(text(said)), Offered::Queued, "no place in the queue is needed");
        }
        assert!(poll!(&mut next).is_pending(), "there is nothing left to do");
    }
    // The line ends with the connection's end of it, whoever has an outbox.
    drop(wire);
    assert_eq!(heard(peer).await, ["one", "two", "three"]);
    drop(inlet);
    assert_eq!(outbox.offer(text("four")), Offered::Gone);
}

#[tokio::test]
async fn frames_keep_their_order_and_are_whole_whoever_sends_them() {
    for room in [1, 2, 3, 7, 20, 64] {
        let (line, peer) = duplex(room);
        let (outbox, mut inlet, mut wire) = over(line, 64);
        let heard = tokio::spawn(heard(peer));
        let mut said = Vec::new();
        for number in 0..200 {
            let word = format!("{number} {}", "x".repeat(number % 150));
            if number % 5 == 0 {
                // The connection's own words come before all that waits in the queue: here nothing does.
                send_rest(&mut inlet, &mut wire).await;
                let frame = Frame::from(&*word);
                wire.say(frame.bytes());
            } else {
                assert_eq!(outbox.offer(text(&word)), Offered::Queued);
            }
            said.push(word);
            if number % 3 == 0 {
                tokio::task::yield_now().await;
            }
        }
        send_rest(&mut inlet, &mut wire).await;
        drop(wire);
        assert_eq!(heard.await.unwrap(), said, "a line that takes {room} bytes at once");
    }
}

#[tokio::test]
async fn who_does_not_read_fills_a_queue_and_the_connection_hears_of_it() {
    let (line, _peer) = duplex(8);
    let (outbox, mut inlet, _wire) = over(line, 2);
    let offered: Vec<_> = (0..5).map(|_| outbox.offer(text("more than eight bytes"))).collect();
    assert_eq!(offered, [Offered::Queued, Offered::Queued, Offered::Queued, Offered::Full, Offered::Full]);
    assert!(matches!(inlet.next().await, Next::Unsent));
    outbox.cut(CloseCode::SlowConsumer);
    assert!(matches!(inlet.next().await, Next::Cut(CloseCode::SlowConsumer)), "before what waits");
}

#[tokio::test]
async fn nothing_goes_straight_after_a_cut_or_behind_the_last_words() {
    for held in [true, false] {
        let (line, peer) = duplex(1024);
        let (outbox, mut inlet, mut wire) = over(line, 8);
        assert_eq!(outbox.offer(text("before")), Offered::Queued);
        if held {
            inlet.hold();
        } else {
            outbox.cut(CloseCode::Replaced);
        }
        assert_eq!(outbox.offer(text("behind")), Offered::Queued);
        let last = Frame::from("last words");
        wire.say(last.bytes());
        poll_fn(|context| wire.poll_send(context)).await.unwrap();
        drop(wire);
        assert_eq!(heard(peer).await, ["before", "last words"]);
    }
}

#[tokio::test]
async fn what_waits_behind_a_change_of_place_waits_for_it() {
    let (line, mut peer) = duplex(1024);
    let (outbox, mut inlet, wire) = over(line, 8);
    for out in [Out::Idle, text("one"), Out::Exit, text("two")] {
        assert_eq!(outbox.offer(out), Offered::Queued);
    }
    assert!(peer.read_u8().now_or_never().is_none(), "nothing overtakes what the queue has");
    assert!(matches!(inlet.next().await, Next::Out(Out::Idle)));
    assert!(matches!(inlet.next().await, Next::Out(Out::Exit)), "behind what came before it");
    assert!(inlet.try_next().is_none());
    drop(wire);
    assert_eq!(heard(peer).await, ["one", "two"]);
}
