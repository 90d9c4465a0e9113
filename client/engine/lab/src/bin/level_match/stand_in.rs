//! Simple players as opponents for the measurement of levels.

use std::fmt;

use noughts_protocol::rng::split_mix64;
use noughts_protocol::{Cell, Position, Status};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StandIn {
    /// Plays any move.
    Random,
    /// Completes its line half the time; otherwise plays any move.
    SeesHalf,
    /// Completes its line, or else blocks a line of the opponent, or else plays any move.
    Blocks,
    /// Completes and blocks lines; otherwise prefers cells in the windows with the most stones of its own.
    Heuristic,
    /// Monte Carlo tree search (UCT) with this number of rollouts.
    Mcts(u32),
}

impl fmt::Display for StandIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StandIn::Random => f.pad("random"),
            StandIn::SeesHalf => f.pad("sees half"),
            StandIn::Blocks => f.pad("blocks"),
            StandIn::Heuristic => f.pad("heuristic"),
            StandIn::Mcts(rollouts) => f.pad(&format!("mcts {rollouts}")),
        }
    }
}

/// A generator of random numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = split_mix64(self.0);
        (self.0 % limit.max(1) as u64) as usize
    }
}

impl StandIn {
    /// Chooses a move. The game must not be over.
    pub(crate) fn choose(self, position: &Position, random: &mut Random) -> Cell {
        let any = |random: &mut Random| {
            position
                .legal_nth(random.below(position.legal_count()))
                .expect("the game is not over")
        };
        match self {
            StandIn::Random => any(random),
            StandIn::SeesHalf if random.below(2) == 0 => any(random),
            StandIn::SeesHalf => completing_move(position).unwrap_or_else(|| any(random)),
            StandIn::Blocks => completing_move(position)
                .or_else(|| block(position))
                .unwrap_or_else(|| any(random)),
            StandIn::Heuristic => completing_move(position)
                .or_else(|| block(position))
                .unwrap_or_else(|| best_by_windows(position, random)),
            StandIn::Mcts(rollouts) => MctsTree::search(position, rollouts, random),
        }
    }
}

/// Returns a move that wins immediately; in misère, a move that does not lose immediately.
fn completing_move(position: &Position) -> Option<Cell> {
    let turn = position.turn();
    if position.rules().misere() {
        return None;
    }
    position
        .legal_moves()
        .find(|&cell| position.status_after(cell) == Ok(Status::Won(turn)))
}

/// Returns a cell where the opponent would complete a line next; in misère, any move that does not complete a line.
fn block(position: &Position) -> Option<Cell> {
    let turn = position.turn();
    if position.rules().misere() {
        return position
            .legal_moves()
            .find(|&cell| position.status_after(cell) != Ok(Status::Won(turn.other())));
    }
    let pass = position.legal_moves().find_map(|cell| {
        // To find the opponent's threats, plays any stone that does not end the game instead of a pass.
        let mut next = position.clone();
        let status = next.play(cell).ok()?;
        (status == Status::Ongoing).then_some((cell, next))
    });
    let (passed, next) = pass?;
    let threat = next
        .legal_moves()
        .find(|&cell| next.status_after(cell) == Ok(Status::Won(turn.other())))?;
    // With gravity, the stone of the pass may be what makes the threat reachable.
    if position.is_legal(threat) {
        Some(threat)
    } else {
        position.legal_moves().find(|&cell| cell != passed)
    }
}

fn best_by_windows(position: &Position, random: &mut Random) -> Cell {
    let turn = position.turn();
    let score = |cell: Cell| {
        let windows = position
            .geometry()
            .windows()
            .filter(|window| window.contains(&cell));
        let value = |window: &[Cell]| {
            let count = |seat| {
                window
                    .iter()
                    .filter(|&&cell| position.stone_at(cell) == Some(seat))
                    .count() as u32
            };
            match (count(turn), count(turn.other())) {
                (own, 0) => 10_i64.pow(own.min(9)),
                (0, other) => 10_i64.pow(other.min(9)) / 2,
                _ => 0,
            }
        };
        let sum: i64 = windows.map(value).sum();
        if position.rules().misere() { -sum } else { sum }
    };
    let mut best: (i64, Vec<Cell>) = (i64::MIN, Vec::new());
    for cell in position.legal_moves() {
        let score = score(cell);
        if score > best.0 {
            best = (score, vec![cell]);
        } else if score == best.0 {
            best.1.push(cell);
        }
    }
    best.1[random.below(best.1.len())]
}

struct MctsNode {
    cell: Cell,
    children: Vec<usize>,
    visits: f64,
    /// Points of the side that made the move.
    points: f64,
}

struct MctsTree {
    nodes: Vec<MctsNode>,
}

impl MctsTree {
    fn search(position: &Position, rollouts: u32, random: &mut Random) -> Cell {
        let root = MctsNode {
            cell: Cell::new(0),
            children: Vec::new(),
            visits: 0.0,
            points: 0.0,
        };
        let mut tree = MctsTree { nodes: vec![root] };
        let mut game = position.clone();
        for _ in 0..rollouts.max(1) {
            tree.add_rollout(&mut game, random);
            while game.ply() > position.ply() {
                game.undo();
            }
        }
        let children = &tree.nodes[0].children;
        let best = children
            .iter()
            .max_by(|&&a, &&b| tree.nodes[a].visits.total_cmp(&tree.nodes[b].visits));
        best.map_or_else(
            || StandIn::Random.choose(position, random),
            |&best| tree.nodes[best].cell,
        )
    }

    fn add_rollout(&mut self, game: &mut Position, random: &mut Random) {
        let mut path = vec![0];
        let first_turn = game.turn();
        loop {
            let node = path[path.len() - 1];
            if game.status() != Status::Ongoing {
                break;
            }
            if self.nodes[node].children.is_empty() {
                if self.nodes[node].visits == 0.0 && node != 0 {
                    break;
                }
                for cell in game.legal_moves() {
                    let child = MctsNode {
                        cell,
                        children: Vec::new(),
                        visits: 0.0,
                        points: 0.0,
                    };
                    let index = self.nodes.len();
                    self.nodes[node].children.push(index);
                    self.nodes.push(child);
                }
            }
            let parent = &self.nodes[node];
            let bound = |&child: &usize| {
                let MctsNode { visits, points, .. } = self.nodes[child];
                if visits == 0.0 {
                    f64::INFINITY
                } else {
                    points / visits + (2.0 * parent.visits.ln() / visits).sqrt()
                }
            };
            let best = parent.children.iter().map(bound).fold(f64::MIN, f64::max);
            let ties: Vec<usize> = parent
                .children
                .iter()
                .copied()
                .filter(|child| bound(child) >= best)
                .collect();
            let chosen = ties[random.below(ties.len())];
            game.play(self.nodes[chosen].cell).expect("a legal move");
            path.push(chosen);
        }
        while game.status() == Status::Ongoing {
            let any = StandIn::Random.choose(game, random);
            game.play(any).expect("a legal move");
        }
        // Counts the points for the side that moved first in the path.
        let points = match game.status() {
            Status::Won(seat) if seat == first_turn => 1.0,
            Status::Won(_) => 0.0,
            Status::Drawn | Status::Ongoing => 0.5,
        };
        for (depth, &node) in path.iter().enumerate() {
            self.nodes[node].visits += 1.0;
            self.nodes[node].points += if depth % 2 == 1 { points } else { 1.0 - points };
        }
    }
}
