//! What a party asks, checked at the edge: parsed, paid for, allowed where the party is now. Then it is
//! handed to whom it concerns, without waiting.

use noughts_protocol::wire::{self, Body, CloseCode, Hello, Lobby, Message, Reject, RejectCode, Request};
use noughts_protocol::{Player, RequestId, Seat};
use tracing::debug;

use super::{Connection, End, Place};
use crate::lobby::{Seek, task as lobby};
use crate::places::{self, Refused};
use crate::rate_limit::Verdict;
use crate::room::handle::{self as room, Newcomer, RoomHandle};

/// Messages that are no requests at all, before the connection is closed for them.
const MAX_GARBAGE: u32 = 10;

impl Connection {
    pub(super) fn request(&mut self, text: &str) -> Result<(), End> {
        self.host.metrics.messages.add(1);
        let at = self.host.time.now();
        let verdict = self.credit.take(at);
        if verdict == Verdict::Flood {
            return Err(End::Close(CloseCode::Policy));
        }
        let request = match Request::parse(text) {
            Ok(request) => request,
            Err(bad) => {
                if bad.re.is_none() {
                    self.garbage += 1;
                }
                if self.garbage > MAX_GARBAGE {
                    return Err(End::Close(CloseCode::Garbage));
                }
                self.refuse(bad.re, bad.reject);
                return Ok(());
            }
        };
        let id = request.id;
        if let Verdict::Refuse { wait_ms } = verdict {
            self.refuse(Some(id), Reject::new(RejectCode::RateLimited).wait_ms(wait_ms));
            return Ok(());
        }
        let done = match (request.body, &self.player) {
            (Body::Hello(hello), None) => return self.hello(id, hello),
            (Body::Hello(_), Some(_)) => Err(RejectCode::HelloTwice.into()),
            (Body::Lobby(_) | Body::Command(_) | Body::Remark(_), None) => Err(RejectCode::HelloFirst.into()),
            (Body::Lobby(lobby), Some(player)) => {
                let player = player.clone();
                self.lobby(id, lobby, player)
            }
            (Body::Command(command), Some(_)) => {
                let asked = self
                    .place
                    .room()
                    .and_then(|room| ask(room, room::Ask::Command { member: self.member, at, id, command }));
                asked.map_err(Reject::from)
            }
            (Body::Remark(remark), Some(_)) => {
                let asked = self
                    .place
                    .room()
                    .and_then(|room| ask(room, room::Ask::Remark(self.member, id, Box::new(remark))));
                asked.map_err(Reject::from)
            }
        };
        if let Err(reject) = done {
            self.refuse(Some(id), reject);
        }
        Ok(())
    }

    fn hello(&mut self, id: RequestId, hello: Hello) -> Result<(), End> {
        let [oldest, newest] = hello.versions;
        if !(oldest..=newest).contains(&wire::VERSION) {
            let mut reject = Reject::new(RejectCode::Version).field("versions");
            reject.versions = Some([wire::VERSION; 2]);
            self.refuse(Some(id), reject);
            return Err(End::Close(CloseCode::Version));
        }
        debug!(member = self.member.0, name = %hello.name, kind = ?hello.kind, client = hello.client, "hello");
        self.player = Some(Player { name: hello.name.clone(), kind: hello.kind });
        self.party = hello.party;
        let held = hello.party.and_then(|party| self.host.registry.seat_of(party));
        self.told = held.map(|held| held.room);
        self.place = Place::Hall;
        let welcome = Message::Welcome {
            re: id,
            version: wire::VERSION,
            server: concat!("noughts-server ", env!("CARGO_PKG_VERSION")).into(),
            name: hello.name,
            limits: self.host.limits.announced(),
            held,
        };
        self.say(&welcome);
        // The first ping behind it: the lag is known before there is a room to tell it.
        if let Some(ping) = self.ping() {
            self.socket.say(&ping);
        }
        Ok(())
    }

    /// One arm a kind of request. An answer comes from whom it is handed to.
    fn lobby(&mut self, id: RequestId, lobby: Lobby, player: Player) -> Result<(), Reject> {
        let newcomer = |player| Newcomer {
            member: self.member,
            outbox: self.outbox.clone(),
            player,
            party: self.party,
            asked: id,
            answered: false,
            remarks: false,
        };
        match lobby {
            Lobby::List => {
                self.credit
                    .take_more(self.host.listing_price() - 1)
                    .map_err(|wait_ms| Reject::new(RejectCode::RateLimited).wait_ms(wait_ms))?;
                Ok(self.host.lobby.ask(lobby::Ask::List(id, self.outbox.clone()))?)
            }
            Lobby::Seek { rules, clock, seat } => {
                self.place.free()?;
                if self.host.draining.is_cancelled() {
                    return Err(RejectCode::Draining.into());
                }
                let (member, party, told) = (self.member, self.party, self.told);
                let seek = Seek { member, player, party, told, rules, clock, seat };
                let place = self.room_place()?;
                self.host.lobby.ask(lobby::Ask::Seek(seek, id, self.outbox.clone(), place))?;
                self.place = Place::Seeking;
                Ok(())
            }
            Lobby::Cancel if matches!(self.place, Place::Seeking) => {
                Ok(self.host.lobby.ask(lobby::Ask::Cancel(self.member, id, self.outbox.clone()))?)
            }
            Lobby::Cancel => Err(RejectCode::NotSeeking.into()),
            Lobby::Create { rules, clock, seat, public } => {
                self.place.free()?;
                let seat = seat.unwrap_or(if self.host.dice.coin() { Seat::X } else { Seat::O });
                let (seated, places) = (vec![(newcomer(player), seat)], vec![self.room_place()?]);
                lobby::open(&self.host, rules, clock, public, seated, places)?;
                self.place = Place::Creating;
                Ok(())
            }
            Lobby::Join { room } => {
                self.enter(self.host.registry.find(room), room::Ask::Join(Box::new(newcomer(player))))
            }
            Lobby::Watch { room, remarks } => {
                let newcomer = Newcomer { remarks, ..newcomer(player) };
                self.enter(self.host.registry.find(room), room::Ask::Watch(Box::new(newcomer)))
            }
            Lobby::Resume { room, token, seq } => {
                let newcomer = Box::new(newcomer(player));
                let wish = room::Ask::Resume(newcomer, token, seq);
                match self.host.registry.held(room, token, self.host.limits.faults) {
                    // No number of guesses leads to a token: who has it is not made to wait for those who guess.
                    Some(held) => self.go_in(held, wish),
                    None => self.enter(None, wish),
                }
            }
            Lobby::Sync { seq } => Ok(ask(self.place.room()?, room::Ask::Sync(self.member, id, seq))?),
            Lobby::Leave => {
                let room = self.place.room()?.clone();
                ask(&room, room::Ask::Leave(self.member, id))?;
                self.place = Place::Leaving(room);
                Ok(())
            }
        }
    }

    /// A place for one room more of those who come from here.
    fn room_place(&self) -> Result<places::Place, Reject> {
        self.host.rooms.enter(self.network).map_err(|refused| match refused {
            Refused::Full => RejectCode::ServerFull.into(),
            Refused::Network => Reject::new(RejectCode::ServerFull).detail("one address may open no more"),
        })
    }

    /// Asks to be let into a room. A wrong key is one answer, whatever is wrong with it, and after many
    /// of them from one address none is looked at for a while.
    fn enter(&mut self, room: Option<RoomHandle>, wish: room::Ask) -> Result<(), Reject> {
        self.place.free()?;
        let now = self.host.time.now();
        if let Some(wait_ms) = self.host.guesses().wait_ms(self.network, now) {
            return Err(Reject::new(RejectCode::RateLimited).wait_ms(wait_ms));
        }
        let Some(room) = room else {
            self.host.guesses().wrong(self.network, now);
            return Err(RejectCode::UnknownRoom.into());
        };
        self.go_in(room, wish)
    }

    fn go_in(&mut self, room: RoomHandle, wish: room::Ask) -> Result<(), Reject> {
        self.place.free()?;
        room.ask(wish)?;
        self.place = Place::Entering(room);
        Ok(())
    }
}

/// Asks a room that the connection is in: one that is no more is a room it is not in.
fn ask(room: &RoomHandle, ask: room::Ask) -> Result<(), RejectCode> {
    room.ask(ask).map_err(|code| if code == RejectCode::UnknownRoom { RejectCode::NotInRoom } else { code })
}
