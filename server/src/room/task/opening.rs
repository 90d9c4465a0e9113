//! How a room comes to be: founded with its first events, or taken up from the log. Its task runs from here.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use noughts_protocol::wire::RejectCode;
use noughts_protocol::{Code, Event, RoomId, Seat, Seq, Stamped};
use tokio_util::sync::CancellationToken;
use tracing::{debug, info, warn};

use super::durable::in_time;
use super::{RoomTask, Surroundings, stamp, telling};
use crate::log::{Founding, LogError, Stored};
use crate::places::Place;
use crate::room::audience::Role;
use crate::room::handle::{Inbox, Newcomer, RoomHandle};
use crate::room::{Attendance, Room};

/// How a new room begins: its first event, and who is in it from the start.
#[derive(Debug)]
pub struct Beginning {
    /// The first event.
    pub opened: Event,
    /// Who takes which seat.
    pub seated: Vec<(Newcomer, Seat)>,
}

/// Founds a room and runs it until it closes or the server stops. The caller spawns this. Its `places` are held as
/// long as it is there, whoever is still in it.
pub fn run(
    founding: Founding,
    beginning: Beginning,
    handle: RoomHandle,
    inbox: Inbox,
    around: Arc<Surroundings>,
    stop: CancellationToken,
    places: Vec<Place>,
) -> impl Future<Output = ()> + Send + 'static {
    let listed = Listed::new(&founding, &around);
    whole_life(begin(founding, beginning, handle, inbox, around, stop).boxed(), listed, places)
}

/// The whole life of a room, from how it begins to its end.
///
/// How it begins is on the heap, so that what it takes to found a room is not held as long as the room lives. This
/// future itself is not: it is what is spawned, and a box would lie beside its task. Nor is it an `async fn`, which
/// holds its arguments twice.
fn whole_life(
    begun: BoxFuture<'static, Option<(Box<RoomTask>, Inbox)>>,
    listed: Listed,
    places: Vec<Place>,
) -> impl Future<Output = ()> + Send + 'static {
    let places = places.into_boxed_slice();
    async move {
        let counted = listed.around.metrics.room_tasks.present();
        if let Some((task, inbox)) = begun.await {
            task.live(inbox).await;
        }
        // In this order also when the task is given up in between.
        drop(counted);
        drop(listed);
        drop(places);
    }
}

/// Founds a room and lets in who is in it from the start, or tells them that it could not be founded.
async fn begin(
    founding: Founding,
    beginning: Beginning,
    handle: RoomHandle,
    inbox: Inbox,
    around: Arc<Surroundings>,
    stop: CancellationToken,
) -> Option<(Box<RoomTask>, Inbox)> {
    let began = around.time.now();
    let events = first_events(beginning.opened, &beginning.seated, began);
    let founded = AssertUnwindSafe(found(founding, events, &around)).catch_unwind().await;
    let (room, tail) = match founded.unwrap_or(Err(LogError::Unknown)) {
        Ok(founded) => founded,
        Err(failed) => {
            warn!(room = %founding.room, error = %failed, "a room could not be founded");
            if failed == LogError::Unknown {
                // It may have been, all the same: then nobody will ever come.
                let retire = around.log.retire(founding.room);
                if in_time(around.append, retire).await.is_err() {
                    debug!(room = %founding.room, "the log may have a room that nobody is in");
                }
            }
            for (newcomer, _) in &beginning.seated {
                telling::turn_away(&around.metrics, newcomer, RejectCode::Unavailable.into());
            }
            // Nobody was a member yet: whoever asks is a newcomer that found the room before it was there.
            for ask in inbox.close() {
                if let Some(newcomer) = ask.newcomer() {
                    telling::turn_away(&around.metrics, newcomer, RejectCode::UnknownRoom.into());
                }
            }
            return None;
        }
    };
    info!(room = %founding.room, rules = %room.game().rules(), public = room.game().is_public(), "room opened");
    let mut task = Box::new(RoomTask::new(founding, room, tail, Seq::ZERO, handle, around, stop));
    for (_, seat) in &beginning.seated {
        task.room.attend(*seat, Attendance::Here);
    }
    task.begin(|task| {
        task.went_on(began);
        for (newcomer, seat) in beginning.seated {
            task.in_hand = Some(newcomer.outbox.clone());
            task.admit(newcomer, Role::Player(seat));
        }
    });
    Some((task, inbox))
}

/// Takes up a room that was open when the server stopped, and runs it like any other, in nobody's place.
pub fn revive(
    founding: Founding,
    room: Room,
    stored: Stored,
    handle: RoomHandle,
    inbox: Inbox,
    around: Arc<Surroundings>,
    stop: CancellationToken,
) -> impl Future<Output = ()> + Send + 'static {
    let listed = Listed::new(&founding, &around);
    debug!(room = %founding.room, seq = %room.game().seq(), "room taken up again");
    let imaged = stored.image.map_or(Seq::ZERO, |image| image.seq);
    let mut task =
        Box::new(RoomTask::new(founding, room, stored.events.into(), imaged, handle, around, stop));
    task.told_from = task.after_outage();
    task.begin(|task| task.publish());
    whole_life(ready(Some((task, inbox))).boxed(), listed, Vec::new())
}

/// Takes the room off the registry when its task ends, however it ends.
struct Listed {
    around: Arc<Surroundings>,
    room: RoomId,
    code: Option<Code>,
}

impl Listed {
    fn new(founding: &Founding, around: &Arc<Surroundings>) -> Listed {
        Listed { around: Arc::clone(around), room: founding.room, code: founding.code }
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.around.registry.remove(self.room, self.code);
    }
}

fn first_events(opened: Event, seated: &[(Newcomer, Seat)], at: u64) -> Vec<Stamped> {
    let mut events = vec![opened];
    for (newcomer, seat) in seated {
        events.push(Event::Seated { seat: *seat, player: newcomer.player.clone() });
    }
    if seated.len() == Seat::ALL.len() {
        events.push(Event::Started { game: 1 });
    }
    stamp(Seq::ZERO, at, None, events)
}

async fn found(
    founding: Founding,
    events: Vec<Stamped>,
    around: &Surroundings,
) -> Result<(Room, VecDeque<Stamped>), LogError> {
    let create = around.log.create(founding, events.clone());
    in_time(around.append, create).await?;
    let mut room =
        Room::open(&events[0], Arc::clone(&around.patience)).expect("the first event opens the room");
    for stamped in &events[1..] {
        room.apply(stamped);
    }
    around.metrics.events.add(events.len() as u64);
    Ok((room, events.into()))
}
