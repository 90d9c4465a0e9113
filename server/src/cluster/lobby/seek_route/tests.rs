//! Seeks, lobbies that move, and the messages between them, in any order.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use proptest::prelude::*;

use super::*;

const NODES: usize = 3;

const CLIENTS: usize = 5;

/// Number of a placement: a seek has several, one after the other.
type Placement = u64;

#[derive(Debug)]
enum ToLobby {
    Enter(Placement),
    Withdraw(Placement),
}

/// A client and its seek. A client seeks again when it has left the lobby.
#[derive(Default)]
struct Client {
    route: Option<SeekRoute>,
    /// Where the current placement is.
    placed: Option<(usize, Placement)>,
    /// The seek should be placed.
    is_due: bool,
    is_connected: bool,
    /// Requests to cancel without a response.
    unanswered: BTreeSet<u64>,
    /// A cancel was answered with `done`: the client is idle.
    is_idle: bool,
    rooms: usize,
}

/// Nodes with a lobby each, of which one serves the game. Messages between a client's node and a lobby stay in order.
#[derive(Default)]
struct World {
    clients: Vec<Client>,
    owner: usize,
    lobbies: [BTreeSet<Placement>; NODES],
    /// By lobby.
    to_lobby: [VecDeque<ToLobby>; NODES],
    from_lobby: [VecDeque<(Placement, SeekEnd)>; NODES],
    clients_by_placement: BTreeMap<Placement, usize>,
    last_placement: Placement,
    last_cancel: u64,
    paired: BTreeSet<Placement>,
}

impl World {
    fn new() -> World {
        World {
            clients: (0..CLIENTS).map(|_| Client::default()).collect(),
            ..World::default()
        }
    }

    fn event(&mut self, at: usize, event: RouteEvent) -> Result<(), TestCaseError> {
        let client = &mut self.clients[at];
        let Some(route) = &mut client.route else {
            return Ok(());
        };
        for action in route.on_event(event) {
            match action {
                RouteAction::Place => {
                    prop_assert!(
                        !self
                            .lobbies
                            .iter()
                            .flatten()
                            .any(|id| self.clients_by_placement[id] == at)
                    );
                    client.is_due = true;
                }
                RouteAction::Withdraw => {
                    let (lobby, placement) = client.placed.expect("in a lobby");
                    self.to_lobby[lobby].push_back(ToLobby::Withdraw(placement));
                }
                RouteAction::Done(id) => {
                    prop_assert!(client.unanswered.remove(&id.get()), "answered twice");
                    client.is_idle = true;
                }
                RouteAction::NotSeeking(id) | RouteAction::Busy(id) => {
                    prop_assert!(client.unanswered.remove(&id.get()), "answered twice");
                }
                RouteAction::CloseReplaced => {
                    (client.is_connected, client.is_idle) = (false, true);
                }
                RouteAction::ServeRoom => {
                    prop_assert!(!client.is_idle, "paired after a cancel");
                    client.rooms += 1;
                }
                RouteAction::EnterSeat => {
                    prop_assert!(!client.is_idle, "seated after a cancel");
                    client.is_idle = true;
                }
                RouteAction::Reject(_) => client.is_idle = true,
                RouteAction::LeaveLobby | RouteAction::Pong(_) => {}
            }
        }
        if route.has_ended() {
            client.placed = None;
        }
        Ok(())
    }

    /// The client's node places its seek at the node that it takes for the owner.
    fn place(&mut self, at: usize, lobby: usize) {
        let client = &mut self.clients[at];
        let Some(route) = client.route.as_mut().filter(|route| !route.has_ended()) else {
            return;
        };
        if std::mem::take(&mut client.is_due) {
            route.on_placed();
            self.last_placement += 1;
            client.placed = Some((lobby, self.last_placement));
            self.clients_by_placement.insert(self.last_placement, at);
            self.to_lobby[lobby].push_back(ToLobby::Enter(self.last_placement));
        }
    }

    fn deliver_to_lobby(&mut self, lobby: usize) {
        match self.to_lobby[lobby].pop_front() {
            Some(ToLobby::Enter(placement)) if self.owner == lobby => {
                self.lobbies[lobby].insert(placement);
            }
            Some(ToLobby::Enter(placement)) => {
                self.from_lobby[lobby].push_back((placement, SeekEnd::Moved));
            }
            Some(ToLobby::Withdraw(placement)) if self.lobbies[lobby].remove(&placement) => {
                self.from_lobby[lobby].push_back((placement, SeekEnd::Withdrawn));
            }
            // Its end is on the way.
            Some(ToLobby::Withdraw(_)) | None => {}
        }
    }

    fn deliver_from_lobby(&mut self, lobby: usize) -> Result<(), TestCaseError> {
        let Some((placement, end)) = self.from_lobby[lobby].pop_front() else {
            return Ok(());
        };
        let at = self.clients_by_placement[&placement];
        prop_assert_eq!(
            self.clients[at].placed,
            Some((lobby, placement)),
            "the end of an earlier placement"
        );
        self.event(at, RouteEvent::End(end))
    }

    fn pair(&mut self, lobby: usize) {
        while self.lobbies[lobby].len() >= 2 {
            for _ in 0..2 {
                let placement = self.lobbies[lobby].pop_first().expect("two seeks");
                self.paired.insert(placement);
                self.from_lobby[lobby].push_back((placement, SeekEnd::Paired));
            }
        }
    }

    fn change_owner(&mut self, owner: usize) {
        if owner != self.owner {
            let moved = std::mem::take(&mut self.lobbies[self.owner]);
            self.from_lobby[self.owner].extend(moved.into_iter().map(|id| (id, SeekEnd::Moved)));
            self.owner = owner;
        }
    }

    fn run_step(&mut self, step: u8, at: usize, node: usize) -> Result<(), TestCaseError> {
        match step {
            0 | 1 => {
                let client = &mut self.clients[at];
                if client.route.is_none() {
                    *client = Client {
                        route: Some(SeekRoute::new(false)),
                        ..Client::default()
                    };
                    client.is_connected = true;
                    self.event(at, RouteEvent::Admitted)?;
                }
            }
            2 => {
                let client = &mut self.clients[at];
                if client.is_connected && !client.is_idle && client.route.is_some() {
                    self.last_cancel += 1;
                    client.unanswered.insert(self.last_cancel);
                    let id = RequestId::new(self.last_cancel).expect("a number");
                    self.event(at, RouteEvent::Cancel(id))?;
                }
            }
            3 => {
                self.clients[at].is_connected = false;
                self.event(at, RouteEvent::Disconnected)?;
            }
            4 => self.event(at, RouteEvent::Displaced)?,
            14 => self.event(at, RouteEvent::SeatFound)?,
            5 | 6 => self.place(at, node),
            7..=9 => self.deliver_to_lobby(node),
            10..=12 => self.deliver_from_lobby(node)?,
            13 => self.pair(self.owner),
            _ => self.change_owner(node),
        }
        Ok(())
    }

    /// Everything arrives, and the owner stays.
    fn settle(&mut self) -> Result<(), TestCaseError> {
        for _ in 0..4 {
            for at in 0..CLIENTS {
                self.place(at, self.owner);
            }
            for lobby in 0..NODES {
                while !self.to_lobby[lobby].is_empty() {
                    self.deliver_to_lobby(lobby);
                }
                while !self.from_lobby[lobby].is_empty() {
                    self.deliver_from_lobby(lobby)?;
                }
            }
        }
        Ok(())
    }
}

proptest! {
    #[test]
    fn a_seek_is_in_one_lobby_and_is_paired_once(
        steps in prop::collection::vec((0..18u8, 0..CLIENTS, 0..NODES), 1..300)
    ) {
        let mut world = World::new();
        for (step, at, node) in steps {
            world.run_step(step, at, node)?;
            for at in 0..CLIENTS {
                let inside = world.lobbies.iter().flatten();
                let count = inside.filter(|placement| world.clients_by_placement[placement] == at).count();
                prop_assert!(count <= 1, "in two lobbies");
                prop_assert!(world.clients[at].rooms <= 1, "in two rooms");
            }
        }
        world.settle()?;
        let mut rooms = 0;
        for (at, client) in world.clients.iter().enumerate() {
            let Some(route) = &client.route else { continue };
            prop_assert!(client.unanswered.is_empty(), "a cancel without a response");
            let is_listed = world.lobbies[world.owner]
                .iter()
                .any(|placement| world.clients_by_placement[placement] == at);
            prop_assert_eq!(route.is_inside(), is_listed, "{:?}", route);
            prop_assert!(route.is_inside() || route.has_ended(), "{:?}", route);
            rooms += client.rooms;
        }
        prop_assert_eq!(rooms, world.paired.len(), "each pairing of a lobby reaches its client");
    }
}

fn id(number: u64) -> RequestId {
    RequestId::new(number).expect("a number")
}

fn inside(is_answer: bool) -> SeekRoute {
    let mut route = SeekRoute::new(is_answer);
    assert_eq!(route.on_event(RouteEvent::Admitted), [RouteAction::Place]);
    route.on_placed();
    route
}

#[test]
fn a_cancel_is_answered_when_the_lobby_has_answered() {
    let mut route = inside(false);
    assert_eq!(
        route.on_event(RouteEvent::Cancel(id(1))),
        [RouteAction::Withdraw]
    );
    assert_eq!(route.on_event(RouteEvent::Cancel(id(2))), []);
    assert_eq!(
        route.on_event(RouteEvent::Pong(PingId(1))),
        [],
        "no ping after a cancel"
    );
    let expected = [
        RouteAction::LeaveLobby,
        RouteAction::Done(id(1)),
        RouteAction::NotSeeking(id(2)),
    ];
    assert_eq!(route.on_event(RouteEvent::End(SeekEnd::Moved)), expected);
    let mut route = inside(false);
    route.on_event(RouteEvent::Cancel(id(1)));
    let expected = [RouteAction::NotSeeking(id(1)), RouteAction::ServeRoom];
    assert_eq!(route.on_event(RouteEvent::End(SeekEnd::Paired)), expected);
    assert_eq!(
        route.on_event(RouteEvent::Cancel(id(3))),
        [RouteAction::NotSeeking(id(3))]
    );
}

#[test]
fn an_answer_does_not_follow_its_seek_to_another_node() {
    let expected = [
        RouteAction::LeaveLobby,
        RouteAction::Reject(RejectCode::NoOffer),
    ];
    assert_eq!(
        inside(true).on_event(RouteEvent::End(SeekEnd::Moved)),
        expected
    );
}

#[test]
fn a_seek_outside_of_all_lobbies_ends_at_once() {
    for (event, expected) in [
        (
            RouteEvent::Cancel(id(1)),
            vec![RouteAction::LeaveLobby, RouteAction::Done(id(1))],
        ),
        (RouteEvent::Displaced, vec![RouteAction::CloseReplaced]),
        (
            RouteEvent::Unavailable,
            vec![
                RouteAction::LeaveLobby,
                RouteAction::Reject(RejectCode::Unavailable),
            ],
        ),
        (RouteEvent::Disconnected, vec![]),
        (RouteEvent::SeatFound, vec![RouteAction::EnterSeat]),
    ] {
        let mut route = SeekRoute::new(false);
        assert_eq!(route.on_event(event), expected);
        assert!(route.has_ended());
        assert_eq!(
            route.on_event(RouteEvent::Admitted),
            [],
            "the query was answered later"
        );
    }
}

#[test]
fn a_seek_whose_party_has_a_seat_enters_it_after_the_lobby_has_answered() {
    let mut route = inside(false);
    assert_eq!(
        route.on_event(RouteEvent::SeatFound),
        [RouteAction::Withdraw]
    );
    assert_eq!(route.on_event(RouteEvent::SeatFound), []);
    assert_eq!(
        route.on_event(RouteEvent::End(SeekEnd::Withdrawn)),
        [RouteAction::EnterSeat]
    );
    assert!(route.has_ended());
    let mut route = inside(false);
    route.on_event(RouteEvent::SeatFound);
    assert_eq!(
        route.on_event(RouteEvent::End(SeekEnd::Paired)),
        [RouteAction::ServeRoom],
        "in another room"
    );
    let mut route = inside(false);
    route.on_event(RouteEvent::SeatFound);
    assert_eq!(route.on_event(RouteEvent::Cancel(id(1))), []);
    let expected = [RouteAction::LeaveLobby, RouteAction::Done(id(1))];
    assert_eq!(
        route.on_event(RouteEvent::End(SeekEnd::Withdrawn)),
        expected
    );
}
