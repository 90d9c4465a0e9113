//! What is to go wrong with a line, written down beforehand or drawn from a seed.

use std::time::Duration;

use crate::rng::SeededRng;

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamDirection {
    /// From the client to the server.
    Up,
    /// From the server to the client.
    Down,
}

impl StreamDirection {
    /// Both.
    pub const ALL: [StreamDirection; 2] = [StreamDirection::Up, StreamDirection::Down];
}

/// How a way ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamEnd {
    /// Nothing passes any more, and nobody is told.
    Stall,
    /// Who reads is told that nothing more comes; the other way stays.
    HalfClose,
    /// Both sides are told that nothing more comes, and what they say is dropped.
    Close,
    /// Both sides are reset.
    Reset,
}

impl StreamEnd {
    /// All of them.
    pub const ALL: [StreamEnd; 4] =
        [StreamEnd::Stall, StreamEnd::HalfClose, StreamEnd::Close, StreamEnd::Reset];
}

/// How bytes pass on one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferScript {
    /// How late each comes.
    pub delay: Duration,
    /// How many a second at most.
    pub rate: Option<u32>,
    /// Whether they pass now; those that do not are kept.
    pub is_flowing: bool,
    /// How it ends, once so many bytes have passed and another one would.
    pub end: Option<(u64, StreamEnd)>,
}

impl Default for TransferScript {
    /// As if there were no proxy.
    fn default() -> TransferScript {
        TransferScript { delay: Duration::ZERO, rate: None, is_flowing: true, end: None }
    }
}

/// What is to happen to a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionScript {
    /// On the way up.
    pub up: TransferScript,
    /// On the way down.
    pub down: TransferScript,
}

impl ConnectionScript {
    /// The part of one way.
    pub fn transfer(&mut self, direction: StreamDirection) -> &mut TransferScript {
        match direction {
            StreamDirection::Up => &mut self.up,
            StreamDirection::Down => &mut self.down,
        }
    }

    /// A line of chance: late, sometimes slow, and ended somewhere in its first `bytes`.
    pub fn random(rng: &mut SeededRng, bytes: u64) -> ConnectionScript {
        let mut script = ConnectionScript::default();
        for direction in StreamDirection::ALL {
            let transfer = script.transfer(direction);
            transfer.delay = Duration::from_millis(rng.random_below(20));
            transfer.rate = (rng.random_below(4) == 0).then(|| 2_000 + rng.random_below(20_000) as u32);
        }
        let direction = if rng.random_below(2) == 0 { StreamDirection::Up } else { StreamDirection::Down };
        let end = StreamEnd::ALL[rng.random_below(StreamEnd::ALL.len() as u64) as usize];
        script.transfer(direction).end = Some((rng.random_below(bytes), end));
        script
    }
}
