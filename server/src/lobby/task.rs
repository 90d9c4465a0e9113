//! Task of the lobby: pairs seekers, opens rooms, and reopens stored rooms at startup.

use std::sync::Arc;

use noughts_protocol::wire::{
    CloseCode, Feature, Message, Reject, RejectCode, RoomListing, SeatGrant, SeekId,
};
use noughts_protocol::{Event, FoldError, Phase, RequestId, ResumeToken, RoomId, Rules, Seat, TimeControl};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

use super::handle::{LobbyInbox, LobbyMessage};
use super::{Lobby, PairedSeeks, PairingId, Seek, Seeker};
use crate::limits::quota::QuotaPermit;
use crate::room::Room;
use crate::room::handle::{self, JoinRequest, MemberQueue, RoomHandle};
use crate::room::registry::MAX_LISTED_ROOMS;
use crate::room::task::{self, InitialState};
use crate::runtime::context::ServerContext;
use crate::runtime::ignore::ignore;
use crate::send_queue::{EncodedFrame, Outgoing};
use crate::store::{LogError, RoomSecrets};

/// Contact of a seeker: its queue, the request to answer if the pairing fails, and its permit for the room.
type PendingSeek = (MemberQueue, RequestId, QuotaPermit);

/// Runs the lobby until `stop` is cancelled. The caller spawns it.
pub(crate) async fn run(ctx: ServerContext, mut inbox: LobbyInbox, stop: CancellationToken) {
    let mut lobby: Lobby<PendingSeek> = Lobby::new(ctx.shared.time.now());
    loop {
        let deadline = lobby.next_deadline();
        let message = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            () = inbox.notify.notified() => {
                lobby.retain(is_connected, Instant::now());
                send_pings(&mut lobby);
                reject_failed_answers(&ctx, &mut lobby);
                ctx.set_seek_count(lobby.len());
                continue;
            }
            ask = inbox.receiver.recv() => ask,
            // Last: an answer that has arrived is in time.
            () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => {
                lobby.expire(Instant::now());
                send_pings(&mut lobby);
                reject_failed_answers(&ctx, &mut lobby);
                continue;
            }
        };
        match message {
            None => return,
            Some(LobbyMessage::Seek(seek, re, send_queue, permit)) => {
                handle_seek(&ctx, &mut lobby, seek, (send_queue, re, permit));
            }
            Some(LobbyMessage::Answer(seek, answerer, re, send_queue, permit)) => {
                handle_answer(&ctx, &mut lobby, seek, answerer, (send_queue, re, permit));
            }
            Some(LobbyMessage::Pong(member, pairing)) => {
                let pair = lobby.on_pong(member, pairing, ctx.rng.random_bool(), Instant::now());
                if let Some(pair) = pair {
                    open_pair(&ctx, pair);
                }
            }
            Some(LobbyMessage::Cancel(member, re, send_queue)) => {
                match lobby.cancel(member, Instant::now()) {
                    Ok(()) => {
                        send_queue.send_reply(Outgoing::LeaveLobby);
                        send_queue.send_reply(Outgoing::message(&Message::Done { re, seq: None }));
                    }
                    Err(code) => send_reject(&ctx, &send_queue, re, code),
                }
            }
            Some(LobbyMessage::List(re, send_queue)) => {
                let rooms = ctx.shared.registry.list();
                // Only subscribers know open seats.
                let rooms = rooms.into_iter().map(|room| RoomListing { open_seat: None, ..room }).collect();
                let seeks = lobby.list(MAX_LISTED_ROOMS).into_iter().map(|listed| listed.open).collect();
                let text = Message::Rooms { re, rooms, seeks }.to_json();
                ctx.set_room_list_size(text.len());
                send_queue.send_priced_reply(Outgoing::Text(EncodedFrame::from(&*text)));
            }
            Some(LobbyMessage::ListSeeks(reply)) => {
                ignore(reply.send(lobby.list(MAX_LISTED_ROOMS)), "the feed ends only with the server");
            }
        }
        send_pings(&mut lobby);
        reject_failed_answers(&ctx, &mut lobby);
        ctx.set_seek_count(lobby.len());
    }
}

/// Makes the connections of new pairings ping their peers.
fn send_pings(lobby: &mut Lobby<PendingSeek>) {
    for (member, PairingId(pairing)) in lobby.take_pings() {
        if let Some((send_queue, ..)) = lobby.contact(member) {
            send_queue.send_reply(Outgoing::Ping { pairing });
        }
    }
}

/// Rejects the answers to seeks whose connection did not answer the ping.
fn reject_failed_answers(ctx: &ServerContext, lobby: &mut Lobby<PendingSeek>) {
    for (send_queue, re, _) in lobby.take_failed_answers() {
        send_queue.send_reply(Outgoing::LeaveLobby);
        send_reject(ctx, &send_queue, re, RejectCode::NoOffer);
    }
}

fn is_connected((send_queue, ..): &PendingSeek) -> bool {
    !send_queue.is_closed()
}

fn handle_seek(ctx: &ServerContext, lobby: &mut Lobby<PendingSeek>, seek: Seek, pending: PendingSeek) {
    if !is_connected(&pending) {
        return debug!("seeker disconnected before pairing");
    }
    let (send_queue, re) = (pending.0.clone(), pending.1);
    if let Some((room, token)) = find_unannounced_seat(ctx, &seek.seeker) {
        // Before the snapshot of the room.
        send_queue.send_reply(Outgoing::message(&Message::Done { re, seq: None }));
        return redirect_to_seat(ctx, seek.seeker, pending, true, &room, token);
    }
    let now = Instant::now();
    close_older_seek(lobby, &seek.seeker, now);
    match lobby.seek(seek, pending, is_connected, now) {
        Ok(()) => {
            send_queue.send_reply(Outgoing::message(&Message::Done { re, seq: None }));
        }
        Err(code) => send_reject(ctx, &send_queue, re, code),
    }
}

fn handle_answer(
    ctx: &ServerContext,
    lobby: &mut Lobby<PendingSeek>,
    seek: SeekId,
    answerer: (Seeker, u64),
    pending: PendingSeek,
) {
    if !is_connected(&pending) {
        return debug!("client disconnected before its answer");
    }
    if let Some((room, token)) = find_unannounced_seat(ctx, &answerer.0) {
        return redirect_to_seat(ctx, answerer.0, pending, false, &room, token);
    }
    let (send_queue, re, now) = (pending.0.clone(), pending.1, Instant::now());
    close_older_seek(lobby, &answerer.0, now);
    if let Err(code) = lobby.answer(seek, answerer, pending, is_connected, now) {
        send_queue.send_reply(Outgoing::LeaveLobby);
        send_reject(ctx, &send_queue, re, code);
    }
}

/// Closes the connection of the seek that a client has on an older connection.
fn close_older_seek(lobby: &mut Lobby<PendingSeek>, seeker: &Seeker, now: Instant) {
    let older = seeker.party.and_then(|party| lobby.remove_older_seek(party, seeker.member, now));
    if let Some((older_queue, ..)) = older {
        older_queue.close_with(CloseCode::Replaced);
    }
}

/// Opens a room for two seekers, whose connections have answered.
fn open_pair(ctx: &ServerContext, pair: PairedSeeks<PendingSeek>) {
    let (rules, clock) = (pair[0].0.rules, pair[0].0.clock);
    let contacts = pair.each_ref().map(|(_, (outbox, re, _))| (outbox.clone(), *re));
    let (mut seated, mut permits) = (Vec::new(), Vec::new());
    for ((seek, (send_queue, asked, permit)), seat) in pair.into_iter().zip(Seat::ALL) {
        let Seeker { member, player, party, features, .. } = seek.seeker;
        seated.push((
            JoinRequest {
                member,
                send_queue,
                player,
                party,
                request_id: asked,
                already_answered: !seek.is_answer,
                wants_remarks: false,
                features,
                spectator_budget: None,
            },
            seat,
        ));
        permits.push(permit);
    }
    if let Err(code) = open_room(ctx, rules, clock, true, seated, permits) {
        for (send_queue, re) in contacts {
            send_queue.send_reply(Outgoing::LeaveLobby);
            send_reject(ctx, &send_queue, re, code);
        }
    }
}

/// Returns a seat that the seeker took on an older connection after the hello on this one. The seeker does not know of
/// it; a second game would leave the opponent of the first one alone.
fn find_unannounced_seat(ctx: &ServerContext, seeker: &Seeker) -> Option<(RoomHandle, ResumeToken)> {
    let grant = ctx.shared.registry.seat_of(seeker.party?);
    let grant = grant.filter(|held| Some(held.room) != seeker.seat_room_at_hello)?;
    let room = ctx.shared.registry.find_by_token(grant.room, grant.token, ctx.limits.faults)?;
    (!room.is_closed()).then_some((room, grant.token))
}

/// Resumes the seeker at its own seat, as if it had just been paired.
fn redirect_to_seat(
    ctx: &ServerContext,
    seeker: Seeker,
    (send_queue, asked, _): PendingSeek,
    already_answered: bool,
    room: &RoomHandle,
    token: ResumeToken,
) {
    let Seeker { member, player, party, features, .. } = seeker;
    let (queue, remarks) = (send_queue.clone(), false);
    let newcomer = JoinRequest {
        member,
        send_queue: queue,
        player,
        party,
        wants_remarks: remarks,
        request_id: asked,
        already_answered,
        features,
        spectator_budget: None,
    };
    if let Err(code) = room.try_send(handle::RoomRequest::Resume(Box::new(newcomer), token, None)) {
        send_queue.send_reply(Outgoing::LeaveLobby);
        send_reject(ctx, &send_queue, asked, code);
    }
}

fn send_reject(ctx: &ServerContext, send_queue: &MemberQueue, re: RequestId, code: RejectCode) {
    ctx.shared.metrics.count_reject(code);
    send_queue.send_reply(Outgoing::message(&Message::Reject { re: Some(re), reject: Reject::new(code) }));
}

/// Generates an unused id and secrets, registers the room and spawns its task.
///
/// # Errors
/// `server_full`, or `draining` if the server shuts down.
pub(crate) fn open_room(
    ctx: &ServerContext,
    rules: Rules,
    clock: Option<TimeControl>,
    public: bool,
    seated: Vec<(JoinRequest, Seat)>,
    permits: Vec<QuotaPermit>,
) -> Result<(), RejectCode> {
    if ctx.shared.draining.is_cancelled() {
        return Err(RejectCode::Draining);
    }
    let (secrets, handle, inbox) = loop {
        let mut secrets = RoomSecrets {
            room: ctx.rng.new_room_id(),
            code: (!public).then(|| ctx.rng.new_room_code()),
            tokens: [ctx.rng.new_resume_token(), ctx.rng.new_resume_token()],
            parties: [None; 2],
        };
        for (newcomer, seat) in &seated {
            secrets.set_party(*seat, 1, newcomer.party);
        }
        let (handle, inbox) = handle::room_channel(secrets.room, ctx.limits.room_inbox);
        match ctx.shared.registry.insert(handle.clone(), &secrets, public, ctx.shared.time.now()) {
            Ok(()) => break (secrets, handle, inbox),
            // The id or code is in use. With 40 bits and 10 000 rooms this happens once in a hundred million.
            Err(RejectCode::Busy) => {}
            Err(code) => return Err(code),
        }
    };
    // Before the room is stored: a player who reconnects meanwhile learns of the seat and waits in the room's inbox.
    for (newcomer, seat) in &seated {
        ctx.shared
            .registry
            .assign_seat(SeatGrant { room: secrets.room, token: secrets.token(*seat, 1) }, newcomer.party);
    }
    let knows_free_moves = |(newcomer, _): &(JoinRequest, Seat)| newcomer.features.has(Feature::FirstMoves);
    let free_first_moves = clock.is_some() && seated.iter().any(knows_free_moves);
    let opened = Event::Opened { rules, clock, public, free_first_moves };
    let initial_state = InitialState { opened, seated };
    let (room_ctx, stop) = (Arc::clone(&ctx.shared), ctx.stopping.clone());
    ctx.actors.spawn(task::run_new(secrets, initial_state, handle, inbox, room_ctx, stop, permits));
    Ok(())
}

/// Opens the rooms that are open in the log, after a restart. Returns their number.
///
/// # Errors
/// If the log cannot be read, or a room's log is corrupt.
pub(crate) async fn reopen_rooms(ctx: &ServerContext) -> Result<usize, ReopenError> {
    let rooms = ctx.shared.event_log.recover().await?;
    let count = rooms.len();
    let (uptime, mut grants) = (ctx.shared.heartbeat.uptime(), Vec::new());
    for (secrets, stored) in rooms {
        let fold_error = |error| ReopenError::Fold { room: secrets.room, error };
        let room = Room::restore(&stored, Arc::clone(&ctx.shared.timeouts), ctx.shared.time.now(), &uptime)
            .map_err(fold_error)?;
        if room.game().phase() == Phase::Closed {
            ctx.actors.spawn(delete_closed_room(ctx.clone(), secrets.room));
            continue;
        }
        let (handle, inbox) = handle::room_channel(secrets.room, ctx.limits.room_inbox);
        let public = room.game().is_public();
        ctx.shared
            .registry
            .restore(handle.clone(), &secrets, public)
            .map_err(|code| ReopenError::Register { room: secrets.room, code })?;
        let (game, room_ctx) = (room.game(), Arc::clone(&ctx.shared));
        let seat_party = |seat: &Seat| game.player(*seat).and(secrets.party(*seat, game.number()));
        grants.extend(Seat::ALL.into_iter().filter_map(|seat| {
            let grant = SeatGrant { room: secrets.room, token: secrets.token(seat, game.number()) };
            Some((game.last_event_at(), grant, seat_party(&seat)?))
        }));
        let stop = ctx.stopping.clone();
        ctx.actors.spawn(task::restore(secrets, room, stored, handle, inbox, room_ctx, stop));
    }
    // A party gets one seat: of several, the one in the room with the latest event.
    grants.sort_by_key(|(at, _, _)| *at);
    for (_, grant, party) in grants {
        ctx.shared.registry.assign_seat(grant, Some(party));
    }
    Ok(count)
}

/// Deletes a room that closed before the server stopped, but not from the log.
async fn delete_closed_room(ctx: ServerContext, room: RoomId) {
    let deleted = timeout(ctx.limits.append_timeout, ctx.shared.event_log.delete(room)).await;
    if let Err(error) = deleted.unwrap_or(Err(LogError::Unknown)) {
        warn!(%room, %error, "cannot delete room that closed before the restart");
    }
}

/// Failure to reopen the rooms of the log.
#[derive(Debug, thiserror::Error)]
pub enum ReopenError {
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The stored events are not the history of a room.
    #[error("log of room {room} is corrupt: {error}")]
    Fold { room: RoomId, error: FoldError },
    /// Two rooms have the same id or code.
    #[error("cannot restore room {room}: {code}")]
    Register { room: RoomId, code: RejectCode },
}
