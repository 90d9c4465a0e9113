//! What a person's program makes of what it hears, and what it must never hear.

use std::time::Duration;

use noughts::connection::{Ended, News};
use noughts_protocol::wire::{Message, Notice, Presence, Reject, RejectCode, You};
use noughts_protocol::{Event, FoldError, Game, Phase, RequestId, RoomId, Snapshot, Stamped};
use tokio::time::Instant;

use super::{Errand, Goes, Program, View};
use crate::chronicle::Chronicle;

impl Program<'_> {
    pub(super) fn hears(&mut self, news: News) -> Goes {
        match news {
            News::Connecting { .. } => {}
            News::Online { .. } => {
                self.world().notes.count("times online");
                self.online_since = Some(Instant::now());
            }
            News::Offline { why, retry_in, .. } => {
                self.world().note(self.person.name, format_args!("offline for {retry_in:?}: {why}"));
                (self.online_since, self.seeking) = (None, false);
            }
            News::Lost(id) => {
                self.accounts.lost(id);
                self.is_over(id);
            }
            News::Message(message) => self.hears_message(message),
            News::Ended(ended) => {
                self.world().note(self.person.name, format_args!("ended: {ended}"));
                match ended {
                    // The first attempt is the only one, and it met a trouble.
                    Ended::CannotConnect(_) | Ended::Http(503) => {}
                    // Another program of this person has the seat; only one of them runs.
                    Ended::Replaced => self.breach(format_args!("replaced by nobody")),
                    Ended::Closed
                    | Ended::Refused(_)
                    | Ended::Http(_)
                    | Ended::NotNoughts
                    | Ended::Final(_)
                    | Ended::GaveUp(_) => self.breach(format_args!("the link ended: {ended}")),
                }
                return Goes::Down;
            }
        }
        Goes::On
    }

    /// A request is answered or lost: what waited for it waits no more.
    fn is_over(&mut self, id: RequestId) {
        self.way.take_if(|way| *way == id);
        self.command.take_if(|command| *command == id);
    }

    fn answered(&mut self, id: RequestId) {
        self.accounts.answered(id);
        self.is_over(id);
    }

    fn hears_message(&mut self, message: Message) {
        match message {
            Message::Welcome { .. } | Message::Restarting { .. } => {}
            Message::Rooms { re, .. } => self.answered(re),
            Message::Done { re, .. } => {
                let way = self.way == Some(re);
                self.answered(re);
                if way {
                    self.way_is_free();
                }
            }
            Message::Reject { re, reject } => self.is_refused(re, &reject),
            Message::Snapshot { re, room, you, state } => {
                if let Some(re) = re {
                    self.answered(re);
                }
                self.sees(room, &you, &state);
            }
            Message::Events { re, room, events } => {
                if let Some(re) = re {
                    self.answered(re);
                }
                for event in events {
                    self.sees_event(room, &event);
                }
            }
            Message::Notice { room, notice } => match notice {
                Notice::Presence { seat, presence, claim_in_ms } => {
                    if let Some(view) =
                        self.view.as_mut().filter(|view| view.room == room && view.seat != seat)
                    {
                        view.other = presence;
                        view.claim_at = claim_in_ms.map(|ms| Instant::now() + Duration::from_millis(ms));
                    }
                }
                Notice::Lag { .. } | Notice::Crowd { .. } | Notice::Remark { .. } => {}
            },
        }
    }

    /// A seek waits in the lobby now; who asked to leave has left.
    fn way_is_free(&mut self) {
        match self.view {
            None => self.seeking = true,
            Some(_) => self.is_out(),
        }
    }

    /// In no room any more, and with no right to a seat.
    fn is_out(&mut self) {
        self.view = None;
        self.person.papers().seat = None;
    }

    fn is_refused(&mut self, re: Option<RequestId>, reject: &Reject) {
        let Some(re) = re else { return self.breach(format_args!("refused without an id: {reject:?}")) };
        let ours = self.accounts.is_ours(re);
        let (way, command) = (self.way == Some(re), self.command == Some(re));
        self.answered(re);
        self.world().notes.count(reject.code.as_str());
        if command && self.world().disk.rooms().values().any(|room| room.has_done(re)) {
            self.breach(format_args!("request {re} is refused ({}), and was done", reject.code));
        }
        match reject.code {
            RejectCode::UnknownRoom => {
                // Of the link's own resume, or of one after a crash of the program: the room must be no more.
                let seat = self.person.papers().seat;
                if let Some((room, _)) = seat.filter(|_| way || !ours) {
                    if !self.is_closed(room) {
                        self.breach(format_args!("room {room} is open, and its player is not let in"));
                    }
                    self.is_out();
                }
            }
            RejectCode::NotInRoom => {
                if let Some(room) = self.view.as_ref().map(|view| view.room)
                    && !self.is_closed(room)
                {
                    self.breach(format_args!("in room {room}, and the server says that it is not"));
                }
                self.is_out();
            }
            // The guest's seat is taken, most likely by an answer that was lost: it is begun anew.
            RejectCode::RoomFull if way => self.world().phone(None),
            RejectCode::Busy
            | RejectCode::Unavailable
            | RejectCode::Draining
            | RejectCode::ServerFull
            | RejectCode::AlreadySeeking => self.seeking = false,
            // What two want at once may come too late.
            RejectCode::NotStarted
            | RejectCode::GameOver
            | RejectCode::GameOn
            | RejectCode::Stale
            | RejectCode::NotYourTurn
            | RejectCode::AlreadyOffered
            | RejectCode::NoOffer
            | RejectCode::NothingToTakeBack
            | RejectCode::OpponentLeft
            | RejectCode::NotClaimable
                if command => {}
            code @ (RejectCode::BadMessage
            | RejectCode::UnknownType
            | RejectCode::BadField
            | RejectCode::HelloFirst
            | RejectCode::HelloTwice
            | RejectCode::Version
            | RejectCode::RateLimited
            | RejectCode::NotSeeking
            | RejectCode::AlreadyInRoom
            | RejectCode::RoomFull
            | RejectCode::NotAPlayer
            | RejectCode::NotStarted
            | RejectCode::GameOver
            | RejectCode::GameOn
            | RejectCode::Stale
            | RejectCode::NotYourTurn
            | RejectCode::OffBoard
            | RejectCode::CellTaken
            | RejectCode::ColumnFull
            | RejectCode::IdReused
            | RejectCode::AlreadyOffered
            | RejectCode::NoOffer
            | RejectCode::NothingToTakeBack
            | RejectCode::OpponentLeft
            | RejectCode::NotClaimable
            | RejectCode::FlagNotFallen) => self.breach(format_args!("request {re} is refused: {code}")),
        }
    }

    fn is_closed(&self, room: RoomId) -> bool {
        self.world().disk.rooms().get(&room).is_none_or(Chronicle::is_closed)
    }

    fn sees(&mut self, room: RoomId, you: &You, state: &Snapshot) {
        let (Some(seat), Some(token)) = (you.seat, you.token) else {
            return self.breach(format_args!("sees room {room} without a seat"));
        };
        let Ok(game) = Game::from_snapshot(state) else { return };
        if let Some(view) = &self.view
            && (view.room != room || view.game.seq() > game.seq())
        {
            let (known, seq) = (view.room, view.game.seq());
            self.breach(format_args!("was in room {known} at {seq}, sees {room} at {}", game.seq()));
        }
        self.seeking = false;
        self.person.papers().seat = Some((room, token));
        if let (Errand::Host(_), None, Some(code)) = (self.person.errand, &self.view, you.code) {
            self.world().phone(Some(code));
        }
        let (other, claim_at) = (Presence::Here, None);
        let closed = game.phase() == Phase::Closed;
        self.view = Some(View { room, seat, game, other, claim_at, changed: Instant::now() });
        if closed {
            self.is_out();
        }
    }

    fn sees_event(&mut self, room: RoomId, event: &Stamped) {
        let Some(view) = self.view.as_mut().filter(|view| view.room == room) else {
            return self.breach(format_args!("hears of room {room}, which it is not in: {event:?}"));
        };
        let ours = event.by.filter(|by| by.seat == view.seat).map(|by| by.id);
        view.changed = Instant::now();
        if let Err(error) = view.game.apply(event) {
            let what = match error {
                FoldError::Gap { .. } => "a gap, or the same again",
                FoldError::Impossible { .. } => "impossible",
            };
            return self.breach(format_args!("{what}: {error}: {event:?}"));
        }
        if matches!(event.event, Event::Started { game } if game > 1) {
            view.seat = view.seat.other();
        }
        if let Some(id) = ours.filter(|id| self.accounts.is_ours(*id)) {
            self.answered(id);
        }
        if matches!(event.event, Event::Closed { .. }) {
            self.is_out();
        }
    }
}
