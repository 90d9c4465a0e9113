//! What is to go wrong with a line, written down beforehand or drawn from a seed.

use std::time::Duration;

use crate::chance::Chance;

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From the client to the server.
    Up,
    /// From the server to the client.
    Down,
}

impl Way {
    /// Both.
    pub const ALL: [Way; 2] = [Way::Up, Way::Down];
}

/// How a way ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Nothing passes any more, and nobody is told.
    Stall,
    /// Who reads is told that nothing more comes; the other way stays.
    HalfClose,
    /// Both sides are told that nothing more comes, and what they say is dropped.
    Close,
    /// Both sides are reset.
    Reset,
}

impl End {
    /// All of them.
    pub const ALL: [End; 4] = [End::Stall, End::HalfClose, End::Close, End::Reset];
}

/// How bytes pass on one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// How late each comes.
    pub delay: Duration,
    /// How many a second at most.
    pub rate: Option<u32>,
    /// Whether they pass now; those that do not are kept.
    pub flows: bool,
    /// How it ends, once so many bytes have passed and another one would.
    pub end: Option<(u64, End)>,
}

impl Default for Passage {
    /// As if there were no proxy.
    fn default() -> Passage {
        Passage { delay: Duration::ZERO, rate: None, flows: true, end: None }
    }
}

/// What is to happen to a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// On the way up.
    pub up: Passage,
    /// On the way down.
    pub down: Passage,
}

impl Script {
    /// The part of one way.
    pub fn way(&mut self, way: Way) -> &mut Passage {
        match way {
            Way::Up => &mut self.up,
            Way::Down => &mut self.down,
        }
    }

    /// A line of chance: late, sometimes slow, and ended somewhere in its first `bytes`.
    pub fn drawn(chance: &mut Chance, bytes: u64) -> Script {
        let mut script = Script::default();
        for way in Way::ALL {
            let passage = script.way(way);
            passage.delay = Duration::from_millis(chance.below(20));
            passage.rate = (chance.below(4) == 0).then(|| 2_000 + chance.below(20_000) as u32);
        }
        let way = if chance.below(2) == 0 { Way::Up } else { Way::Down };
        let end = End::ALL[chance.below(End::ALL.len() as u64) as usize];
        script.way(way).end = Some((chance.below(bytes), end));
        script
    }
}
