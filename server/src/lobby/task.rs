//! Task of the lobby: pairs seekers, opens rooms, and reopens stored rooms at startup.

use std::sync::Arc;

use noughts_protocol::wire::{
    CloseCode, Message, Reject, RejectCode, RoomListing, SeatGrant, SeekId,
};
use noughts_protocol::{Event, RequestId, ResumeToken, Rules, Seat, TimeControl};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tracing::debug;

use super::handle::{LobbyInbox, LobbyMessage, SeekContact};
use super::{Lobby, PairedSeeks, PingId, Seek, Seeker};
use crate::limits::slots::QuotaPermit;
use crate::lobby::feed::rooms_and_seeks;
use crate::lobby::handle::{Meeting, SeekEnd, SeekOrigin};
use crate::room::handle::{self, JoinRequest, MemberQueue, RoomHandle};
use crate::room::registry::MAX_LISTED_ROOMS;
use crate::room::task::{self, InitialState};
use crate::runtime::context::ServerContext;
use crate::runtime::ignore;
use crate::send_queue::{EncodedFrame, Outgoing};
use crate::store::RoomSecrets;

#[cfg(all(test, feature = "cluster"))]
mod tests;

/// Runs the lobby until `stop` is cancelled. The caller spawns it.
pub(crate) async fn run(ctx: ServerContext, mut inbox: LobbyInbox, stop: CancellationToken) {
    let offset = ctx
        .lobby_placement()
        .map_or(0, |placement| placement.seek_number_offset());
    let mut lobby: Lobby<SeekContact> = Lobby::new(ctx.shared.time.now(), offset);
    let mut is_leaving = false;
    loop {
        let deadline = lobby.next_deadline();
        let message = tokio::select! {
            biased;
            () = ctx.shared.draining.cancelled(), if !is_leaving => {
                is_leaving = true;
                hand_over(&ctx, &mut lobby);
                apply_outcomes(&ctx, &mut lobby);
                continue;
            }
            () = stop.cancelled() => return end_unread_seeks(&mut inbox),
            () = inbox.notify.notified() => {
                lobby.retain(is_connected);
                hand_over(&ctx, &mut lobby);
                apply_outcomes(&ctx, &mut lobby);
                continue;
            }
            ask = inbox.receiver.recv() => ask,
            // Deadlines come last, so that an answer that has already arrived counts as in time.
            () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => {
                lobby.expire(Instant::now());
                apply_outcomes(&ctx, &mut lobby);
                continue;
            }
        };
        match message {
            None => return,
            Some(LobbyMessage::Seek(seek, contact)) => handle_seek(&ctx, &mut lobby, seek, contact),
            Some(LobbyMessage::AcceptSeek(seek, seeker, contact)) => {
                handle_accept_seek(&ctx, &mut lobby, seek, seeker, contact);
            }
            Some(LobbyMessage::Pong(connection, ping)) => {
                lobby.on_pong(connection, ping, Instant::now());
            }
            Some(LobbyMessage::Cancel(connection, re, send_queue)) => {
                match lobby.cancel(connection) {
                    Ok(_) => {
                        send_queue.send_reply(Outgoing::LeaveLobby);
                        send_queue.send_reply(Outgoing::message(&Message::Done { re, seq: None }));
                    }
                    Err(code) => send_reject(&ctx, &send_queue, re, code),
                }
            }
            #[cfg(feature = "cluster")]
            Some(LobbyMessage::Withdraw(connection)) => {
                if let Ok(contact) = lobby.cancel(connection) {
                    end_seek(contact, SeekEnd::Withdrawn);
                }
            }
            Some(LobbyMessage::List(re, send_queue)) => {
                let (rooms, seeks) = rooms_and_seeks(&ctx, lobby.list(MAX_LISTED_ROOMS));
                // The list does not contain the seats that bots may take: only subscribers of the lobby see them.
                let rooms = rooms
                    .into_iter()
                    .map(|room| RoomListing {
                        open_seat: None,
                        ..room
                    })
                    .collect();
                let seeks = seeks.into_iter().map(|listed| listed.open).collect();
                let text = Message::Rooms { re, rooms, seeks }.to_json();
                ctx.set_room_list_size(text.len());
                send_queue.send_priced_reply(Outgoing::Text(EncodedFrame::from(&*text)));
            }
            Some(LobbyMessage::ListSeeks(reply)) => {
                ignore(
                    reply.send(lobby.list(MAX_LISTED_ROOMS)),
                    "the feed ends only with the server",
                );
            }
        }
        apply_outcomes(&ctx, &mut lobby);
    }
}

/// Hands over the seeks of a cluster that are still in the inbox.
fn end_unread_seeks(inbox: &mut LobbyInbox) {
    inbox.receiver.close();
    while let Ok(message) = inbox.receiver.try_recv() {
        if let LobbyMessage::Seek(_, contact) | LobbyMessage::AcceptSeek(_, _, contact) = message {
            end_seek(contact, SeekEnd::Moved);
        }
    }
}

/// Opens the games, pings the connections and rejects the accepts that the last calls of the lobby have determined.
fn apply_outcomes(ctx: &ServerContext, lobby: &mut Lobby<SeekContact>) {
    for pair in lobby.take_pairs(|| ctx.rng.random_bool()) {
        open_pair(ctx, pair);
    }
    for (connection, PingId(ping)) in lobby.take_pings() {
        if let Some(contact) = lobby.contact(connection) {
            contact.send_queue.send_reply(Outgoing::Ping { ping });
        }
    }
    for contact in lobby.take_failed_accepts() {
        let SeekContact {
            send_queue,
            request_id,
            ..
        } = contact;
        send_queue.send_reply(Outgoing::LeaveLobby);
        send_reject(ctx, &send_queue, request_id, RejectCode::NoOffer);
    }
    ctx.set_seek_count(lobby.len());
}

/// Hands over the seeks if another server has the lobby or gets it.
fn hand_over(ctx: &ServerContext, lobby: &mut Lobby<SeekContact>) {
    for contact in lobby.take(moved_seeks(ctx)) {
        end_seek(contact, SeekEnd::Moved);
    }
}

/// Selects the seeks of a cluster that have to wait on another server.
fn moved_seeks(ctx: &ServerContext) -> impl Fn(&Seek, &SeekContact) -> bool {
    let is_draining = ctx.shared.draining.is_cancelled();
    let placement = ctx.lobby_placement();
    let is_elsewhere = placement.is_some_and(|placement| !placement.is_here());
    move |seek, contact| {
        contact.origin.is_some() && (is_draining || is_elsewhere && seek.meeting.is_none())
    }
}

/// Reports the end of a seek to its server. The server may need the permit of the seek immediately.
fn end_seek(SeekContact { origin, permit, .. }: SeekContact, end: SeekEnd) {
    drop(permit);
    report_end(origin, end);
}

fn report_end(origin: Option<SeekOrigin>, end: SeekEnd) {
    if let Some(origin) = origin {
        ignore(
            origin.end.send(end),
            "without a receiver, the connection of the client has ended",
        );
    }
}

fn is_connected(contact: &SeekContact) -> bool {
    !contact.send_queue.is_closed()
}

fn handle_seek(
    ctx: &ServerContext,
    lobby: &mut Lobby<SeekContact>,
    seek: Seek,
    mut contact: SeekContact,
) {
    if !is_connected(&contact) {
        return debug!("seeker disconnected before pairing");
    }
    if moved_seeks(ctx)(&seek, &contact) {
        return end_seek(contact, SeekEnd::Moved);
    }
    let (send_queue, re) = (contact.send_queue.clone(), contact.request_id);
    // A seek of a meeting may have accepted a listed seek. In that case the room responds.
    let answers_now = !contact.already_answered && seek.meeting.is_none();
    contact.already_answered |= answers_now;
    let accept = || {
        if answers_now {
            send_queue.send_reply(Outgoing::message(&Message::Done { re, seq: None }));
        }
    };
    if let Some((room, token)) = find_unannounced_seat(ctx, &seek.seeker) {
        // The response precedes the snapshot of the room.
        accept();
        return redirect_to_seat(ctx, seek.seeker, contact, &room, token);
    }
    if !replace_older_seek(lobby, &seek.seeker, &contact) {
        return;
    }
    match lobby.seek(seek, contact, is_connected, Instant::now()) {
        Ok(()) => accept(),
        Err(code) => send_reject(ctx, &send_queue, re, code),
    }
}

fn handle_accept_seek(
    ctx: &ServerContext,
    lobby: &mut Lobby<SeekContact>,
    seek: SeekId,
    seeker: Seeker,
    contact: SeekContact,
) {
    if !is_connected(&contact) {
        return debug!("client disconnected before its acceptance of a seek was handled");
    }
    if let Some((room, token)) = find_unannounced_seat(ctx, &seeker) {
        return redirect_to_seat(ctx, seeker, contact, &room, token);
    }
    let (send_queue, re) = (contact.send_queue.clone(), contact.request_id);
    if !replace_older_seek(lobby, &seeker, &contact) {
        return;
    }
    if let Err(code) = lobby.accept_seek(seek, seeker, contact, is_connected, Instant::now()) {
        send_queue.send_reply(Outgoing::LeaveLobby);
        send_reject(ctx, &send_queue, re, code);
    }
}

/// Closes the older connection of a party that seeks on two connections: that connection may be dead without having
/// timed out. Returns whether the seeker is the newer client. In a cluster, the older seek may arrive later.
fn replace_older_seek(
    lobby: &mut Lobby<SeekContact>,
    seeker: &Seeker,
    contact: &SeekContact,
) -> bool {
    let party = seeker.party;
    let Some(other) = party.and_then(|party| lobby.other_seeker_of(party, seeker.connection))
    else {
        return true;
    };
    let (is_newer, other) = (other.since <= seeker.since, other.connection);
    if !is_newer {
        contact.send_queue.close_with(CloseCode::Replaced);
    } else if let Ok(older) = lobby.cancel(other) {
        older.send_queue.close_with(CloseCode::Replaced);
    }
    is_newer
}

/// Opens a room for two seekers. Their connections have answered. In a cluster, the server of the player of X opens the
/// room, so that rooms are spread like clients.
fn open_pair(ctx: &ServerContext, pair: PairedSeeks<SeekContact>) {
    let (rules, clock) = (pair[0].0.rules, pair[0].0.clock);
    if let Some(node) = find_meeting_node(ctx, &pair) {
        let number = ctx.rng.new_room_id().bits();
        for ((_, contact), seat) in pair.into_iter().zip(Seat::ALL) {
            end_seek(
                contact,
                SeekEnd::Paired(Meeting {
                    node,
                    number,
                    rules,
                    clock,
                    seat,
                }),
            );
        }
        return;
    }
    let mut contacts = Vec::new();
    let (mut seated, mut permits) = (Vec::new(), Vec::new());
    for ((seek, contact), seat) in pair.into_iter().zip(Seat::ALL) {
        let SeekContact {
            send_queue,
            request_id,
            permit,
            already_answered,
            origin,
        } = contact;
        // If this server cannot open the room of a meeting, the seek goes back, so that the lobby can open the room.
        let returns_to = origin.filter(|_| seek.meeting.is_some());
        contacts.push((send_queue.clone(), request_id, returns_to));
        let request = seek
            .seeker
            .join_request(send_queue, request_id, already_answered);
        seated.push((request, seat));
        permits.push(permit);
    }
    if let Err(code) = open_room(ctx, rules, clock, true, seated, permits) {
        for (send_queue, re, returns_to) in contacts {
            if returns_to.is_some() {
                report_end(returns_to, SeekEnd::Moved);
            } else {
                send_queue.send_reply(Outgoing::LeaveLobby);
                send_reject(ctx, &send_queue, re, code);
            }
        }
    }
}

/// Returns the server where the two seeks of a pair meet, if it is a different server.
fn find_meeting_node(ctx: &ServerContext, pair: &PairedSeeks<SeekContact>) -> Option<[u8; 16]> {
    let node = |(_, contact): &(Seek, SeekContact)| contact.origin.as_ref()?.node;
    let (x, _) = node(&pair[0]).zip(node(&pair[1]))?;
    let opens_here = pair[0].0.meeting.is_some() || ctx.lobby_placement()?.opens_rooms_of(x);
    (!opens_here).then_some(x)
}

/// Returns a seat that the seeker took on an older connection after the hello on this connection. The seeker does not
/// know of it; a second game would leave the opponent of the first game alone.
fn find_unannounced_seat(
    ctx: &ServerContext,
    seeker: &Seeker,
) -> Option<(RoomHandle, ResumeToken)> {
    let grant = ctx.shared.registry.seat_of(seeker.party?);
    let grant = grant.filter(|held| Some(held.room) != seeker.seat_room_at_hello)?;
    let room = ctx.shared.registry.find_by_token(grant.room, grant.token)?;
    (!room.is_closed()).then_some((room, grant.token))
}

/// Resumes the seeker at its own seat, as if it had just been paired.
fn redirect_to_seat(
    ctx: &ServerContext,
    seeker: Seeker,
    contact: SeekContact,
    room: &RoomHandle,
    token: ResumeToken,
) {
    let SeekContact {
        send_queue,
        request_id,
        already_answered,
        ..
    } = contact;
    let newcomer = seeker.join_request(send_queue.clone(), request_id, already_answered);
    let request = handle::RoomRequest::Resume(Box::new(newcomer), Some(token), None);
    if let Err(code) = room.try_send(request) {
        send_queue.send_reply(Outgoing::LeaveLobby);
        send_reject(ctx, &send_queue, request_id, code);
    }
}

/// Rejects a request, and counts the rejection.
pub(crate) fn send_reject(
    ctx: &ServerContext,
    send_queue: &MemberQueue,
    re: RequestId,
    reject: impl Into<Reject>,
) {
    let reject = reject.into();
    ctx.shared.metrics.count_reject(reject.code);
    send_queue.send_reply(Outgoing::message(&Message::Reject {
        re: Some(re),
        reject,
    }));
}

/// Generates an unused id and secrets, registers the room and spawns its task.
///
/// # Errors
/// `server_full`, `draining` if the server shuts down, or `unavailable` if it may open no room.
pub(crate) fn open_room(
    ctx: &ServerContext,
    rules: Rules,
    clock: Option<TimeControl>,
    public: bool,
    seated: Vec<(JoinRequest, Seat)>,
    permits: Vec<QuotaPermit>,
) -> Result<(), RejectCode> {
    if ctx.shared.starts_no_game() {
        return Err(RejectCode::Draining);
    }
    let (secrets, handle, inbox, hold) = loop {
        let (room, code) = match ctx.placement() {
            None => (
                ctx.rng.new_room_id(),
                (!public).then(|| ctx.rng.new_room_code()),
            ),
            Some(placement) => placement.draw_room(&ctx.rng, !public)?,
        };
        let mut secrets = RoomSecrets {
            room,
            code,
            tokens: [ctx.rng.new_resume_token(), ctx.rng.new_resume_token()],
            parties: [None; 2],
            left: [false; 2],
        };
        for (newcomer, seat) in &seated {
            secrets.set_party(*seat, 1, newcomer.party);
        }
        let hold = match ctx.placement() {
            None => None,
            Some(placement) => Some(placement.hold(room).ok_or(RejectCode::Unavailable)?),
        };
        let (handle, inbox) = handle::room_channel(secrets.room, ctx.limits.room_inbox);
        match ctx
            .shared
            .registry
            .insert(handle.clone(), &secrets, public, ctx.shared.time.now())
        {
            Ok(()) => break (secrets, handle, inbox, hold),
            // The id or code is in use. With 40 bits and 10 000 rooms this happens once in a hundred million.
            Err(RejectCode::Busy) => {}
            Err(code) => return Err(code),
        }
    };
    // The seats are assigned before the room is stored, so that a player who reconnects meanwhile learns of the seat
    // and waits in the inbox of the room.
    let since = ctx.shared.time.now();
    for (newcomer, seat) in &seated {
        let grant = SeatGrant {
            room: secrets.room,
            token: secrets.token(*seat, 1),
        };
        ctx.shared
            .registry
            .assign_seat(grant, newcomer.holder(), since);
    }
    let opened = Event::Opened {
        rules,
        clock,
        public,
        free_first_moves: clock.is_some(),
    };
    let initial_state = InitialState { opened, seated };
    let room_ctx = Arc::clone(&ctx.shared);
    ctx.spawn_room(hold, |stop| {
        task::run_new(
            secrets,
            initial_state,
            handle,
            inbox,
            room_ctx,
            stop,
            permits,
        )
    });
    Ok(())
}
