//! Panics outside of the handling of a request, caused by a log subscriber that panics.

use std::fmt::Debug;

use tracing::dispatcher::{DefaultGuard, Dispatch, set_default};
use tracing::field::Field;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::NoSubscriber;
use tracing::{Event, Metadata, Subscriber};

use super::*;
use crate::lobby::restoration::ReopenError;
use crate::store::EventLog;

/// Subscriber that panics at the event with this message.
struct PanickingSubscriber(&'static str);

impl Subscriber for PanickingSubscriber {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut |field: &Field, value: &dyn Debug| {
            let is_message = field.name() == "message" && format!("{value:?}") == self.0;
            assert!(!is_message, "injected panic");
        });
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Makes this thread panic at the event with this message, until the value is dropped.
///
/// tracing asks the subscribers once whether an event interests them: at the first occurrence of the event in any
/// thread. While only one subscriber exists, tracing asks only the subscriber of that thread. If the event first occurs
/// in the thread of another test, which has no subscriber, the event stays off in all threads. The second subscriber
/// makes tracing ask all subscribers.
#[must_use]
fn panic_at(message: &'static str) -> (DefaultGuard, Dispatch) {
    let second = Dispatch::new(NoSubscriber::new());
    let panicking = Dispatch::new(PanickingSubscriber(message));
    (set_default(&panicking), second)
}

/// Waits until the server closes the connection with 1011.
async fn wait_for_internal_error(receiver: &mut SendQueueReceiver<RoomHandle>) {
    let closed = async {
        while !matches!(
            receiver.next().await,
            QueueEvent::Close(CloseCode::Internal)
        ) {}
    };
    tokio::time::timeout(Duration::from_secs(60), closed)
        .await
        .expect("the connection is closed");
}

async fn wait_until_the_room_ended(ctx: &ServerContext) {
    tokio::time::sleep(Duration::from_secs(120)).await;
    assert!(ctx.shared.registry.len() == 0);
    assert_eq!(ctx.shared.metrics.room_tasks.get(), 0);
    assert_eq!(ctx.shared.metrics.room_task_panics.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_panic_during_the_creation_of_a_room_closes_all_waiting_connections() {
    let _guard = panic_at("room opened");
    let ctx = test_context();
    let (send_queue, mut creator_receiver) = without_stream(64);
    let seated = vec![(JoinRequest::of_person(ConnectionId(7), send_queue), Seat::X)];
    lobby::open_room(&ctx, "3x3:3".parse().unwrap(), None, true, seated, vec![]).unwrap();
    let room = ServerRng::from_seed(1).new_room_id();
    let handle = ctx
        .shared
        .registry
        .find(RoomRef::Id(room))
        .expect("registered before it is created");
    let (send_queue, mut spectator_receiver) = without_stream(64);
    let spectator = JoinRequest::of_person(ConnectionId(7), send_queue);
    handle
        .try_send(RoomRequest::Watch(Box::new(spectator)))
        .unwrap();
    wait_for_internal_error(&mut creator_receiver).await;
    wait_for_internal_error(&mut spectator_receiver).await;
    wait_until_the_room_ended(&ctx).await;
}

#[tokio::test(start_paused = true)]
async fn a_panic_at_the_end_of_a_room_is_counted() {
    let _guard = panic_at("room closed");
    let ctx = test_context();
    let (room, _receivers) = room(&ctx, None).await;
    leave_both(&room);
    wait_until_the_room_ended(&ctx).await;
}

#[tokio::test(start_paused = true)]
async fn a_panic_during_the_restoration_of_a_room_affects_no_other_one() {
    let log = Arc::new(MemoryLog::default());
    let before = test_context_with(&log, 1);
    let (_room, _receivers) = room(&before, None).await;
    let stored = log.recover().await.unwrap();
    let ctx = test_context_with(&log, 2);
    let failed = {
        let _guard = panic_at("room restored");
        restoration::restore_rooms(&ctx, stored.clone())
    };
    let [(secrets, ReopenError::Panic { room })] = &failed[..] else {
        panic!("{failed:?}")
    };
    assert_eq!(secrets.room, *room);
    assert!(ctx.shared.registry.len() == 0);
    assert!(restoration::restore_rooms(&ctx, stored).is_empty());
    assert_eq!(ctx.shared.registry.len(), 1);
}
