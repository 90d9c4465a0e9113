//! Tests of the owners over a model of heartbeats and of the log.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const STEP: Duration = Duration::from_millis(100);

const SHARDS: u16 = 16;

fn node(id: usize) -> NodeId {
    NodeId([id as u8 + 1; 16])
}

/// Nodes that hear each other, some heartbeats late, and a log that stores every claim without a delay.
struct Model {
    began: Instant,
    step: u32,
    starts: Vec<u32>,
    nodes: Vec<ShardOwners>,
    /// A node, and the steps during which it is stopped.
    stopped: Option<(usize, std::ops::Range<u32>)>,
    /// By arrival.
    sent: Vec<(u32, NodeHeartbeat)>,
    delays: Vec<u32>,
    /// By shard.
    claims: Vec<(Epoch, Option<usize>)>,
    /// Step of the last change of an owner.
    changed_at: u32,
    /// Claims of shards that a running node owns. A control: with `hides_shards`, the nodes make such claims.
    claims_from_live_owners: usize,
    /// The heartbeats name no shards.
    hides_shards: bool,
}

impl Model {
    fn new(
        starts: Vec<u32>,
        delays: Vec<u32>,
        stopped: Option<(usize, std::ops::Range<u32>)>,
    ) -> Model {
        let (began, map) = (Instant::now(), ShardMap::new(SHARDS).unwrap());
        let create =
            |(id, start): (usize, &u32)| ShardOwners::new(node(id), map, began + *start * STEP);
        let nodes = starts.iter().enumerate().map(create).collect();
        let claims = vec![(Epoch(0), None); usize::from(SHARDS)];
        Model {
            began,
            step: 0,
            starts,
            nodes,
            stopped,
            sent: Vec::new(),
            delays,
            claims,
            changed_at: 0,
            claims_from_live_owners: 0,
            hides_shards: false,
        }
    }

    fn is_running(&self, id: usize) -> bool {
        let is_stopped = |(stopped, steps): &(usize, std::ops::Range<u32>)| {
            *stopped == id && steps.contains(&self.step)
        };
        self.starts[id] <= self.step && !self.stopped.as_ref().is_some_and(is_stopped)
    }

    fn send(&mut self, id: usize) {
        let delay = self.delays[(self.step as usize + id) % self.delays.len()];
        let mut heartbeat =
            self.nodes[id].heartbeat(self.began + self.step * STEP, RelayAddress::of_model(0, 0));
        if self.hides_shards {
            heartbeat.shards.clear();
        }
        self.sent.push((self.step + delay, heartbeat));
    }

    fn run_step(&mut self) {
        let now = self.began + self.step * STEP;
        let step = self.step;
        for (_, heartbeat) in self
            .sent
            .extract_if(.., |(at, _)| *at <= step)
            .collect::<Vec<_>>()
        {
            for id in 0..self.nodes.len() {
                if self.is_running(id) && self.nodes[id].on_heartbeat(now, heartbeat.clone()) {
                    // An append by an owner that was replaced fails, so the node learns that it has lost the shard.
                    for (shard, (_, owner)) in self.claims.iter().enumerate() {
                        if *owner != Some(id)
                            && self.nodes[id].own.contains_key(&Shard(shard as u16))
                        {
                            self.nodes[id].on_lost(Shard(shard as u16));
                        }
                    }
                }
            }
        }
        for id in (0..self.nodes.len())
            .filter(|id| self.is_running(*id))
            .collect::<Vec<_>>()
        {
            let actions = self.nodes[id].poll(now);
            for action in &actions {
                self.changed_at = step;
                match *action {
                    OwnershipAction::Claim(shard, known) => {
                        let latest = self.claims[shard.index()].0;
                        assert!(known <= latest, "{known:?} has not been claimed");
                        if known < latest {
                            self.nodes[id].on_refused(now, shard, latest);
                            continue;
                        }
                        let owner = self.claims[shard.index()].1;
                        let is_live =
                            owner.is_some_and(|owner| owner != id && self.is_running(owner));
                        self.claims_from_live_owners += usize::from(is_live);
                        let claim = &mut self.claims[shard.index()];
                        *claim = (claim.0.next(), Some(id));
                        self.nodes[id].on_claimed(shard, claim.0);
                    }
                    OwnershipAction::Release(shard) => {
                        self.claims[shard.index()].1 = None;
                        self.nodes[id].on_lost(shard);
                    }
                }
            }
            if !actions.is_empty() || step % 4 == id as u32 % 4 {
                self.send(id);
            }
        }
        self.step += 1;
    }

    /// Returns the node that should own a shard.
    fn best(&self, shard: Shard) -> Option<usize> {
        let running = (0..self.nodes.len()).filter(|id| self.is_running(*id));
        running.max_by_key(|id| weight(node(*id), shard))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_shard_comes_to_the_node_to_which_it_belongs_and_stays(
        starts in vec(0..80u32, 1..5),
        delays in vec(0..3u32, 64),
        stopped in prop::option::of((0..4usize, 60..150u32, 10..100u32)),
    ) {
        let stopped = stopped.map(|(id, from, steps)| (id % starts.len(), from..from + steps));
        let mut model = Model::new(starts, delays, stopped);
        // Enough steps for all nodes, including a node that was stopped, to have been live for the required time.
        for _ in 0..400 {
            model.run_step();
        }
        prop_assert!(model.changed_at < 370, "owners still change in step {}", model.changed_at);
        for (shard, (epoch, owner)) in model.claims.iter().enumerate() {
            let shard = Shard(shard as u16);
            prop_assert_eq!(*owner, model.best(shard), "{}", shard);
            for id in 0..model.nodes.len() {
                if model.is_running(id) {
                    let owned = model.nodes[id].owned().any(|owned| owned == (shard, *epoch));
                    prop_assert_eq!(owned, *owner == Some(id));
                    let now = model.began + model.step * STEP;
                    let expected = if owned { ShardLocation::Own } else {
                        ShardLocation::Remote(node(owner.expect("all shards are owned")))
                    };
                    prop_assert_eq!(model.nodes[id].locations(now)[shard.index()], expected);
                }
            }
        }
    }
}

/// Starts three nodes one after the other.
fn start_in_turn(seed: u32, hides_shards: bool) -> Model {
    let starts = vec![0, 40 + seed % 37, 50 + seed % 53];
    let mut model = Model::new(starts, vec![0, seed % 3, seed % 2], None);
    model.hides_shards = hides_shards;
    for _ in 0..300 {
        model.run_step();
    }
    model
}

#[test]
fn the_shard_of_a_live_owner_is_not_claimed() {
    for seed in 0..100 {
        let model = start_in_turn(seed, false);
        assert_eq!(model.claims_from_live_owners, 0, "{seed}");
        let count = |id| {
            model
                .claims
                .iter()
                .filter(|(_, owner)| *owner == Some(id))
                .count()
        };
        let counts = [0, 1, 2].map(count);
        assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
        assert_eq!(counts.iter().sum::<usize>(), 16);
    }
}

#[test]
fn a_claim_from_a_live_owner_is_found() {
    assert!(start_in_turn(0, true).claims_from_live_owners > 0);
}

#[test]
fn a_node_that_leaves_is_replaced_at_once() {
    let mut model = Model::new(vec![0, 0], vec![0], None);
    for _ in 0..100 {
        model.run_step();
    }
    let owned = model
        .claims
        .iter()
        .filter(|(_, owner)| *owner == Some(0))
        .count();
    assert!(owned > 0);
    model.nodes[0].leave();
    for shard in (0..SHARDS).map(Shard) {
        if model.claims[shard.index()].1 == Some(0) {
            model.claims[shard.index()].1 = None;
            model.nodes[0].on_lost(shard);
        }
    }
    model.send(0);
    model.starts[0] = u32::MAX;
    for _ in 0..2 {
        model.run_step();
    }
    assert!(
        model.claims.iter().all(|(_, owner)| *owner == Some(1)),
        "{:?}",
        model.claims
    );
}
