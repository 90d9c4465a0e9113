//! Player: a program with the product's own connection, controlled by random actions. It seeks or joins a
//! game, plays it, and continues after every fault, including a crash of its own machine.

mod actions;
mod messages;

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use noughts::testing::{
    ClientRng as LinkChance, ConnectionEvent, ConnectionHandle, ConnectionOptions, RetryPolicy,
    TerminationReason,
};
use noughts_protocol::wire::{self, FeatureSet, Hello, Message, Presence, RejectCode, RequestBody};
use noughts_protocol::{Event, Game, PlayerKind, RequestId, ResumeToken, RoomId, Seat};
use noughts_tests::lock::lock;
use noughts_tests::rng::SeededRng;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::checks::request_ledger::RequestLedger;
use crate::network::{PORT, SERVER, SimConnector};
use crate::plan::{PlannedGame, SimMachine};
use crate::sim_state::SimState;

/// How a player gets into a game.
#[derive(Clone, Copy, Debug)]
pub(crate) enum JoinGoal {
    /// Creates a private room and shares its code.
    Host(PlannedGame),
    /// Waits for the code and joins.
    Guest,
    /// Is paired in the lobby.
    Seek(PlannedGame),
}

/// State on the player's disk; it survives the program.
#[derive(Debug, Default)]
struct PersistentState {
    seat: Option<(RoomId, ResumeToken)>,
    done: bool,
}

/// Player at a machine.
#[derive(Clone)]
pub(crate) struct SimPlayer {
    sim_state: Arc<SimState>,
    name: &'static str,
    machine: SimMachine,
    goal: JoinGoal,
    persistent_state: Arc<Mutex<PersistentState>>,
}

/// Timeout for a response on a working connection: longer than the detection of a dead connection and the
/// resume after it.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(40);

impl SimPlayer {
    pub(crate) fn new(
        sim_state: &Arc<SimState>,
        name: &'static str,
        machine: SimMachine,
        goal: JoinGoal,
    ) -> SimPlayer {
        SimPlayer {
            sim_state: Arc::clone(sim_state),
            name,
            machine,
            goal,
            persistent_state: Arc::default(),
        }
    }

    pub(crate) fn machine(&self) -> SimMachine {
        self.machine
    }

    fn persistent_state(&self) -> MutexGuard<'_, PersistentState> {
        lock(&self.persistent_state)
    }

    /// Runs the program repeatedly until the run finishes.
    pub(crate) async fn run(self) {
        let mut older_programs = JoinSet::new();
        while !self.persistent_state().done {
            if let Some(link) = PlayerProgram::start(&self).run().await {
                // The player continues in a second program. The first program stays connected.
                self.sim_state.trace.count("second programs");
                older_programs.spawn(self.clone().await_replacement(link));
            } else {
                sleep(Duration::from_millis(500)).await;
            }
        }
        older_programs.join_all().await;
    }

    /// Waits until the older program loses its seat to the newer program. Its connection or its room may end first.
    async fn await_replacement(self, mut link: ConnectionHandle) {
        let replaced = timeout(RESPONSE_TIMEOUT, async {
            while let Some(event) = link.next().await {
                match event {
                    ConnectionEvent::Terminated(TerminationReason::Replaced)
                    | ConnectionEvent::Disconnected { .. } => return,
                    ConnectionEvent::Message(Message::Events { events, .. })
                        if events
                            .iter()
                            .any(|event| matches!(event.event, Event::Closed { .. })) =>
                    {
                        return;
                    }
                    // The room had closed before the resume.
                    ConnectionEvent::Message(Message::Reject { reject, .. })
                        if reject.code == RejectCode::UnknownRoom =>
                    {
                        return;
                    }
                    ConnectionEvent::Terminated(ended) => {
                        return self.sim_state.record_violation(
                            self.name,
                            format_args!("the older program ended: {ended}"),
                        );
                    }
                    ConnectionEvent::Message(_)
                    | ConnectionEvent::RequestLost(_)
                    | ConnectionEvent::Connecting { .. }
                    | ConnectionEvent::Connected { .. } => {}
                }
            }
        });
        if replaced.await.is_err() {
            self.sim_state
                .record_violation(self.name, format_args!("two programs have one seat"));
        }
        link.close().await;
    }
}

/// Connection options of all simulated programs.
pub(crate) fn options(name: &str) -> ConnectionOptions {
    let hello = Hello {
        versions: [wire::VERSION; 2],
        name: name.parse().expect("a short name"),
        kind: PlayerKind::Person,
        client: None,
        party: None,
        identity_secret: None,
        wants: FeatureSet::default(),
    };
    let url = format!("ws://{SERVER}:{PORT}/ws")
        .parse()
        .expect("an address");
    ConnectionOptions {
        url,
        hello,
        retry: RetryPolicy::For(Duration::from_secs(600)),
    }
}

/// Room as this program knows it.
struct SimRoomView {
    room: RoomId,
    seat: Seat,
    game: Game,
    opponent_presence: Presence,
    /// Earliest time when the player may claim the game because of the opponent's absence.
    claim_at: Option<Instant>,
    changed_at: Instant,
}

struct PlayerProgram<'a> {
    player: &'a SimPlayer,
    link: ConnectionHandle,
    ledger: RequestLedger,
    rng: SeededRng,
    online_since: Option<Instant>,
    room_view: Option<SimRoomView>,
    /// Pending request to enter or leave a room.
    pending_room_request: Option<RequestId>,
    /// Whether the lobby has accepted a seek.
    seeking: bool,
    /// Pending command; there is at most one.
    pending_command: Option<RequestId>,
    next_action_at: Instant,
}

/// Whether a program continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProgramFlow {
    Continue,
    /// The connection stays open, and another program is started.
    Detach,
    Exit,
}

impl<'a> PlayerProgram<'a> {
    fn start(player: &'a SimPlayer) -> PlayerProgram<'a> {
        let sim_state = &player.sim_state;
        let seed = sim_state.fresh_seed();
        sim_state.record(player.name, format_args!("starts"));
        let connector = SimConnector {
            sim_state: Arc::clone(sim_state),
            actor: player.name,
            machine: player.machine,
        };
        PlayerProgram {
            player,
            link: ConnectionHandle::with_connector(
                options(player.name),
                connector,
                LinkChance::from_seed(seed),
            ),
            ledger: RequestLedger::new(Arc::clone(sim_state), player.name),
            rng: SeededRng::new(seed),
            online_since: None,
            room_view: None,
            pending_room_request: None,
            seeking: false,
            pending_command: None,
            next_action_at: Instant::now(),
        }
    }

    /// Runs until the end, or until the player turns to another program; returns the connection in that case.
    async fn run(mut self) -> Option<ConnectionHandle> {
        loop {
            tokio::select! {
                biased;
                connection_event = self.link.next() => {
                    if connection_event.is_none_or(|connection_event| self.on_connection_event(connection_event) == ProgramFlow::Exit) {
                        return None;
                    }
                }
                () = sleep_until(self.next_action_at) => {
                    let pause = if self.sim_state().is_finishing() { 20 } else { self.rng.random_range(20, 400) };
                    self.next_action_at = Instant::now() + Duration::from_millis(pause);
                    match self.act() {
                        ProgramFlow::Continue => {}
                        ProgramFlow::Detach => return Some(self.link),
                        ProgramFlow::Exit => {
                            self.player.persistent_state().done = true;
                            self.link.close().await;
                            self.player.sim_state.mark_done(self.player.name);
                            return None;
                        }
                    }
                }
            }
        }
    }

    fn sim_state(&self) -> &'a Arc<SimState> {
        &self.player.sim_state
    }

    fn report_violation(&self, what: std::fmt::Arguments<'_>) {
        self.sim_state().record_violation(self.player.name, what);
    }

    pub(super) fn send(&mut self, body: RequestBody) -> Option<RequestId> {
        let id = self.link.send(body.clone()).ok()?;
        self.ledger.record_request(id, &body);
        Some(id)
    }
}
