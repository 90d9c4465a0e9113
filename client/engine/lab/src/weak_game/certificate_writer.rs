//! Writer of certificates: it takes the replies of the breaker from the search, and the pairs from the reduction.
//!
//! A node names the free cells that it needs and blocks lines without regard to the rest of the board, so that one node
//! serves all positions with the same core.

use std::collections::HashMap;

use noughts_engine::internals::{BitWord, SearchBudget, iter_bits};

use super::hypergraph::{play, position_key};
use super::pairing::PairingCore;
use super::proof_numbers::WeakGameRole;
use super::reduction::{play_free_threat, remove_supersets};
use super::search::WeakGameSearch;
use crate::certificate_text::cell_letter;

/// A node in the text.
#[derive(Clone, Copy, Debug)]
struct WrittenNode<B> {
    number: usize,
    /// The free cells that it needs.
    zone: B,
}

/// A branch of a node: the reply, the pairs, and the node of the core that they leave.
#[derive(Debug)]
struct CertificateBranch<B> {
    text: String,
    /// The free cells that it needs.
    zone: B,
}

/// A position after a reply, divided into pairs and the core that they leave.
#[derive(Debug)]
struct PairedPosition<B> {
    /// The cell of the reply; empty without a reply.
    reply: B,
    pairs: Vec<B>,
    core: Vec<B>,
}

impl<B: BitWord> PairedPosition<B> {
    /// Returns the cells of the reply and of the pairs.
    fn zone(&self) -> B {
        self.pairs
            .iter()
            .fold(self.reply, |zone, &pair| zone | pair)
    }

    /// Removes each pair with edges that all contain another pair.
    fn remove_needless_pairs(&mut self, edges: &[B]) {
        for index in (0..self.pairs.len()).rev() {
            let pair = self.pairs.swap_remove(index);
            let is_blocked = |&edge: &B| self.pairs.iter().any(|&other| (other & !edge).is_empty());
            let edges_of_pair = edges
                .iter()
                .filter(|&&edge| (pair & !edge).is_empty() && (edge & self.reply).is_empty());
            if !edges_of_pair.into_iter().all(is_blocked) {
                self.pairs.push(pair);
                let last = self.pairs.len() - 1;
                self.pairs.swap(index, last);
            }
        }
    }
}

/// Writer of the nodes of one certificate.
#[derive(Debug)]
pub(super) struct CertificateWriter<'s, B> {
    search: &'s mut WeakGameSearch<B>,
    pairing: PairingCore<B>,
    /// For each key of a core with the maker to move, its node.
    cores: HashMap<u128, WrittenNode<B>>,
    text: String,
    /// Number of nodes in the text.
    nodes: usize,
    max_nodes: usize,
}

impl<'s, B: BitWord> CertificateWriter<'s, B> {
    pub(super) fn new(
        search: &'s mut WeakGameSearch<B>,
        max_nodes: usize,
    ) -> CertificateWriter<'s, B> {
        let (cores, text) = (HashMap::new(), String::new());
        CertificateWriter {
            search,
            pairing: PairingCore::new(),
            cores,
            text,
            nodes: 0,
            max_nodes,
        }
    }

    /// Returns the nodes of a certificate, the root last. Returns `None` if the breaker does not hold, or if the budget
    /// or the maximum number of nodes does not suffice.
    pub(super) fn write(
        mut self,
        edges: &[B],
        turn: WeakGameRole,
        budget: &mut SearchBudget<'_>,
    ) -> Option<String> {
        // The proof of the whole position fills the table with most replies.
        let proof = self.search.solve(edges.to_vec(), turn, 0, budget)?;
        if proof.winner == WeakGameRole::Maker {
            return None;
        }
        let branch = match turn {
            WeakGameRole::Maker => {
                let rest = self.reduce_without(edges, B::EMPTY, turn, budget);
                self.write_rest(&rest, 0, budget)?
            }
            WeakGameRole::Breaker => self.write_reply(edges, 0, B::EMPTY, budget)?,
        };
        self.write_node(&[branch])?;
        Some(self.text)
    }

    /// Writes a reply that holds for the breaker, and the strategy after it. Among the replies that let pairs block all
    /// edges, it chooses the reply that needs the fewest of the `unanswered` cells.
    fn write_reply(
        &mut self,
        edges: &[B],
        ply: usize,
        unanswered: B,
        budget: &mut SearchBudget<'_>,
    ) -> Option<CertificateBranch<B>> {
        use WeakGameRole::{Breaker, Maker};
        if budget.halted {
            return None;
        }
        let rest = self.reduce_without(edges, B::EMPTY, Breaker, budget);
        let Some(&threat) = rest.core.first() else {
            return self.write_rest(&rest, ply, budget);
        };
        if threat.count() == 1 {
            // The search does not count a forced move.
            let rest = self.reduce_without(edges, threat, Maker, budget);
            return self.write_rest(&rest, ply, budget);
        }
        let cells = rest.core.iter().fold(B::EMPTY, |cells, &edge| cells | edge);
        let paired = iter_bits(cells)
            .map(|bit| self.reduce_without(edges, B::from_bit(bit), Maker, budget))
            .filter(|rest| rest.core.is_empty())
            .min_by_key(|rest| ((rest.zone() & unanswered).count(), rest.zone().count()));
        let rest = match paired {
            Some(rest) => rest,
            None => {
                let reply = self.search.find_holding_reply(&rest.core, ply, budget)?;
                self.reduce_without(edges, B::from_bit(reply), Maker, budget)
            }
        };
        self.write_rest(&rest, ply + 1, budget)
    }

    /// Removes the edges of the reply, if a reply exists, and the edges that pairs block whatever happens elsewhere.
    /// `turn` is the player to move after the reply.
    fn reduce_without(
        &mut self,
        edges: &[B],
        reply: B,
        turn: WeakGameRole,
        budget: &mut SearchBudget<'_>,
    ) -> PairedPosition<B> {
        budget.count_node();
        let mut pairs = Vec::new();
        let mut core: Vec<B> = edges
            .iter()
            .copied()
            .filter(|&edge| (edge & reply).is_empty())
            .collect();
        loop {
            remove_supersets(&mut core);
            if turn == WeakGameRole::Maker
                && let Some(threat) = play_free_threat(&mut core)
            {
                pairs.push(threat);
                continue;
            }
            let count = core.len();
            self.pairing.keep_core(&mut core);
            pairs.extend_from_slice(self.pairing.removed_pairs());
            if core.len() == count {
                break;
            }
        }
        let mut paired = PairedPosition { reply, pairs, core };
        paired.remove_needless_pairs(edges);
        paired
    }

    /// Writes the reply and the pairs, and the core that they leave.
    fn write_rest(
        &mut self,
        rest: &PairedPosition<B>,
        ply: usize,
        budget: &mut SearchBudget<'_>,
    ) -> Option<CertificateBranch<B>> {
        let bits = iter_bits(rest.reply).chain(rest.pairs.iter().flat_map(|&pair| iter_bits(pair)));
        let mut text: String = bits.map(|bit| cell_letter(bit as usize)).collect();
        let mut zone = rest.zone();
        if !rest.core.is_empty() {
            let core = self.write_core(&rest.core, ply, budget)?;
            text.push_str(&format!(":{}", core.number));
            zone |= core.zone;
        }
        Some(CertificateBranch { text, zone })
    }

    /// Writes a core with the maker to move, with a branch that answers each of the maker's moves.
    fn write_core(
        &mut self,
        edges: &[B],
        ply: usize,
        budget: &mut SearchBudget<'_>,
    ) -> Option<WrittenNode<B>> {
        let key = position_key(edges.iter().copied(), WeakGameRole::Maker);
        if let Some(&node) = self.cores.get(&key) {
            return Some(node);
        }
        let mut unanswered = edges.iter().fold(B::EMPTY, |cells, &edge| cells | edge);
        let mut branches = Vec::new();
        while unanswered.any() {
            let through = |bit: &u32| {
                edges
                    .iter()
                    .filter(|&&edge| (edge & B::from_bit(*bit)).any())
                    .count()
            };
            let bit = iter_bits(unanswered).max_by_key(through)?;
            let mut next = Vec::new();
            play(edges, WeakGameRole::Maker, B::from_bit(bit), &mut next);
            let branch = self.write_reply(&next, ply + 1, unanswered, budget)?;
            unanswered &= branch.zone;
            branches.push(branch);
        }
        remove_needless_branches(&mut branches);
        let node = self.write_node(&branches)?;
        self.cores.insert(key, node);
        Some(node)
    }

    /// Writes a node, unless the certificate has the maximum number.
    fn write_node(&mut self, branches: &[CertificateBranch<B>]) -> Option<WrittenNode<B>> {
        if self.nodes == self.max_nodes {
            return None;
        }
        let texts: Vec<&str> = branches.iter().map(|branch| branch.text.as_str()).collect();
        self.text.push_str(&texts.join(" "));
        self.text.push('\n');
        self.nodes += 1;
        let zone = branches
            .iter()
            .fold(B::EMPTY, |zone, branch| zone | branch.zone);
        Some(WrittenNode {
            number: self.nodes - 1,
            zone,
        })
    }
}

/// Removes branches as long as the others still answer every move of the maker.
fn remove_needless_branches<B: BitWord>(branches: &mut Vec<CertificateBranch<B>>) {
    for index in (0..branches.len()).rev() {
        let others = branches.iter().enumerate().filter(|&(at, _)| at != index);
        if others
            .fold(!B::EMPTY, |shared, (_, branch)| shared & branch.zone)
            .is_empty()
        {
            branches.remove(index);
        }
    }
}
