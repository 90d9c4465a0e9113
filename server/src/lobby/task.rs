//! The actor round the lobby, and the opening of rooms.

use std::sync::Arc;

use noughts_protocol::wire::{CloseCode, Held, Message, Reject, RejectCode};
use noughts_protocol::{Event, FoldError, Phase, RequestId, ResumeToken, RoomId, Rules, Seat, TimeControl};
use tokio::sync::{Notify, mpsc};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

use super::listing::Listing;
use super::{Lobby, Seek};
use crate::host::Host;
use crate::log::{Founding, LogError};
use crate::outbox::{Frame, Out, Outbox};
use crate::places::Place;
use crate::room::Room;
use crate::room::audience::MemberId;
use crate::room::handle::{self, Newcomer, RoomHandle};
use crate::room::task::{self, Beginning};

/// What the lobby is asked.
#[derive(Debug)]
pub enum Ask {
    /// To be paired.
    Seek(Seek, RequestId, Outbox, Place),
    /// Not to be paired any more.
    Cancel(MemberId, RequestId, Outbox),
    /// For the public rooms and who waits.
    List(RequestId, Outbox),
}

/// The way to the lobby.
#[derive(Clone, Debug)]
pub struct LobbyHandle {
    inbox: mpsc::Sender<Ask>,
    bell: Arc<Notify>,
}

impl LobbyHandle {
    /// Asks without waiting.
    ///
    /// # Errors
    /// `busy` when the inbox is full, `draining` when the server stops.
    pub fn ask(&self, ask: Ask) -> Result<(), RejectCode> {
        self.inbox.try_send(ask).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => RejectCode::Busy,
            mpsc::error::TrySendError::Closed(_) => RejectCode::Draining,
        })
    }

    /// Tells the lobby to see who has gone. It needs no place in the inbox, is never refused and never waits:
    /// many rings before the lobby looks are one.
    pub fn ring(&self) {
        self.bell.notify_one();
    }
}

/// The lobby's inbox, to be given to its task.
#[derive(Debug)]
pub struct Inbox {
    queue: mpsc::Receiver<Ask>,
    bell: Arc<Notify>,
}

/// A handle for the lobby, and the inbox behind it.
pub fn handle(limit: usize) -> (LobbyHandle, Inbox) {
    let (inbox, queue) = mpsc::channel(limit.max(1));
    let bell = Arc::new(Notify::new());
    (LobbyHandle { inbox, bell: Arc::clone(&bell) }, Inbox { queue, bell })
}

/// How a party waits: the way to it, the request that its pairing answers to if it fails, and its place for
/// the room that comes of it.
type Waiting = (Outbox, RequestId, Place);

/// Pairs until the server stops. The caller spawns this.
pub async fn run(host: Host, mut inbox: Inbox, stop: CancellationToken) {
    let mut lobby: Lobby<Waiting> = Lobby::default();
    let mut listing = Listing::default();
    loop {
        let ask = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            () = inbox.bell.notified() => {
                lobby.retain(is_there);
                listing.outdate();
                host.note_seeks(lobby.len());
                continue;
            }
            ask = inbox.queue.recv() => ask,
        };
        listing.advance();
        if !matches!(ask, Some(Ask::List(..))) {
            listing.outdate();
        }
        match ask {
            None => return,
            Some(Ask::Seek(seek, re, outbox, place)) => pair(&host, &mut lobby, seek, (outbox, re, place)),
            Some(Ask::Cancel(member, re, outbox)) => match lobby.cancel(member) {
                Ok(()) => {
                    outbox.answer(Out::Idle);
                    outbox.answer(Out::message(&Message::Done { re, seq: None }));
                }
                Err(code) => refuse(&host, &outbox, re, code),
            },
            Some(Ask::List(re, outbox)) => {
                let text = listing.answer(re, inbox.queue.len(), &host.registry, &lobby);
                host.note_listing(text.len());
                outbox.answer(Out::Text(Frame::from(&*text)));
            }
        }
        host.note_seeks(lobby.len());
    }
}

fn is_there((outbox, ..): &Waiting) -> bool {
    !outbox.is_gone()
}

fn pair(host: &Host, lobby: &mut Lobby<Waiting>, seek: Seek, waiting: Waiting) {
    if !is_there(&waiting) {
        return debug!("who wished to play has gone");
    }
    let (outbox, re) = (waiting.0.clone(), waiting.1);
    if let Some((room, token)) = unheard(host, &seek) {
        return lead(host, seek, waiting, &room, token);
    }
    if let Some((older, ..)) = seek.party.and_then(|party| lobby.displace(party, seek.member)) {
        older.cut(CloseCode::Replaced);
    }
    let paired = match lobby.seek(seek, waiting, is_there, host.dice.coin()) {
        Ok(paired) => paired,
        Err(code) => return refuse(host, &outbox, re, code),
    };
    outbox.answer(Out::message(&Message::Done { re, seq: None }));
    let Some(pair) = paired else { return };
    let (rules, clock) = (pair[0].0.rules, pair[0].0.clock);
    let both = pair.each_ref().map(|(_, (outbox, re, _))| (outbox.clone(), *re));
    let (mut seated, mut places) = (Vec::new(), Vec::new());
    for ((seek, (outbox, asked, place)), seat) in pair.into_iter().zip(Seat::ALL) {
        let Seek { member, player, party, .. } = seek;
        seated
            .push((Newcomer { member, outbox, player, party, asked, answered: true, remarks: false }, seat));
        places.push(place);
    }
    if let Err(code) = open(host, rules, clock, true, seated, places) {
        for (outbox, re) in both {
            outbox.answer(Out::Idle);
            refuse(host, &outbox, re, code);
        }
    }
}

/// The seat that a party was given on an older connection since it said hello on this one: it asks for a game
/// without knowing that it has one, and would leave its opponent alone there.
fn unheard(host: &Host, seek: &Seek) -> Option<(RoomHandle, ResumeToken)> {
    let held = host.registry.seat_of(seek.party?).filter(|held| Some(held.room) != seek.told)?;
    let room = host.registry.held(held.room, held.token, host.limits.faults)?;
    (!room.is_over()).then_some((room, held.token))
}

/// Leads a party to a seat of its own, as if it had just been paired.
fn lead(host: &Host, seek: Seek, (outbox, asked, _): Waiting, room: &RoomHandle, token: ResumeToken) {
    let Seek { member, player, party, .. } = seek;
    // Before the view of the room.
    outbox.answer(Out::message(&Message::Done { re: asked, seq: None }));
    let (way, remarks) = (outbox.clone(), false);
    let newcomer = Newcomer { member, outbox: way, player, party, remarks, asked, answered: true };
    if let Err(code) = room.ask(handle::Ask::Resume(Box::new(newcomer), token, None)) {
        outbox.answer(Out::Idle);
        refuse(host, &outbox, asked, code);
    }
}

fn refuse(host: &Host, outbox: &Outbox, re: RequestId, code: RejectCode) {
    host.metrics.rejected(code);
    outbox.answer(Out::message(&Message::Reject { re: Some(re), reject: Reject::new(code) }));
}

/// Draws names that are free, makes the room findable and starts its task.
///
/// # Errors
/// `server_full`, or `draining` when the server begins nothing new.
pub fn open(
    host: &Host,
    rules: Rules,
    clock: Option<TimeControl>,
    public: bool,
    seated: Vec<(Newcomer, Seat)>,
    places: Vec<Place>,
) -> Result<(), RejectCode> {
    if host.draining.is_cancelled() {
        return Err(RejectCode::Draining);
    }
    let (founding, handle, inbox) = loop {
        let mut founding = Founding {
            room: host.dice.room(),
            code: (!public).then(|| host.dice.code()),
            tokens: [host.dice.token(), host.dice.token()],
            parties: [None; 2],
        };
        for (newcomer, seat) in &seated {
            founding.give(*seat, 1, newcomer.party);
        }
        let (handle, inbox) = handle::handle(founding.room, host.limits.room_inbox);
        match host.registry.insert(handle.clone(), &founding, public) {
            Ok(()) => break (founding, handle, inbox),
            // Drawn before: with 40 bits and 10 000 rooms, once in a hundred million.
            Err(RejectCode::Busy) => {}
            Err(code) => return Err(code),
        }
    };
    // Before the room is founded: who is back in the meantime is told of it, and waits for that in its inbox.
    for (newcomer, seat) in &seated {
        host.registry.give(Held { room: founding.room, token: founding.token(*seat, 1) }, newcomer.party);
    }
    let beginning = Beginning { opened: Event::Opened { rules, clock, public }, seated };
    let (around, stop) = (Arc::clone(&host.around), host.stopping.clone());
    host.actors.spawn(task::run(founding, beginning, handle, inbox, around, stop, places));
    Ok(())
}

/// Opens the rooms that the log has open, as after a restart.
///
/// # Errors
/// When the log cannot be read, or a room's history does not hold.
pub async fn reopen(host: &Host) -> Result<usize, ReopenError> {
    let rooms = host.log.recover().await?;
    let count = rooms.len();
    let (lived, mut held) = (host.pulse.lived(), Vec::new());
    for (founding, stored) in rooms {
        let refused = |error| ReopenError::History { room: founding.room, error };
        let room = Room::resume(&stored, Arc::clone(&host.around.patience), host.time.now(), &lived)
            .map_err(refused)?;
        if room.game().phase() == Phase::Closed {
            host.actors.spawn(forget(host.clone(), founding.room));
            continue;
        }
        let (handle, inbox) = handle::handle(founding.room, host.limits.room_inbox);
        let public = room.game().is_public();
        host.registry
            .restore(handle.clone(), &founding, public)
            .map_err(|code| ReopenError::Place { room: founding.room, code })?;
        let (game, around) = (room.game(), Arc::clone(&host.around));
        let known = |seat: &Seat| game.player(*seat).and(founding.party(*seat, game.number()));
        held.extend(Seat::ALL.into_iter().filter_map(|seat| {
            let right = Held { room: founding.room, token: founding.token(seat, game.number()) };
            Some((game.at(), right, known(&seat)?))
        }));
        let stop = host.stopping.clone();
        host.actors.spawn(task::revive(founding, room, stored, handle, inbox, around, stop));
    }
    // A party is told of one seat: of several, where something happened last.
    held.sort_by_key(|(at, _, _)| *at);
    for (_, right, party) in held {
        host.registry.give(right, Some(party));
    }
    Ok(count)
}

/// A room closed, and the server stopped before the log could forget it. Nobody waits for that.
async fn forget(host: Host, room: RoomId) {
    let retired = timeout(host.limits.append, host.log.retire(room)).await;
    if let Err(error) = retired.unwrap_or(Err(LogError::Unknown)) {
        warn!(%room, %error, "a closed room stays in the log");
    }
}

/// Why the rooms of the log could not be opened again.
#[derive(Debug, thiserror::Error)]
pub enum ReopenError {
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A history that no room can have had.
    #[error("the history of room {room} does not hold: {error}")]
    History {
        /// Which room.
        room: RoomId,
        /// Where.
        error: FoldError,
    },
    /// Two rooms of one name.
    #[error("there is no place for room {room}: {code}")]
    Place {
        /// Which room.
        room: RoomId,
        /// Why.
        code: RejectCode,
    },
}
