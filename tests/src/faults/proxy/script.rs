//! Fault script of a connection, fixed or drawn from a seed.

use std::time::Duration;

use crate::rng::SeededRng;

/// Direction of a byte stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamDirection {
    /// Client to server.
    Up,
    /// Server to client.
    Down,
}

impl StreamDirection {
    pub const ALL: [StreamDirection; 2] = [StreamDirection::Up, StreamDirection::Down];
}

/// End of one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamEnd {
    /// Bytes stop without notice.
    Stall,
    /// The receiver reads the end of the stream; the other direction stays open.
    HalfClose,
    /// Both sides read the end of the stream; further bytes are dropped.
    Close,
    /// Both sides are reset.
    Reset,
}

impl StreamEnd {
    pub const ALL: [StreamEnd; 4] = [
        StreamEnd::Stall,
        StreamEnd::HalfClose,
        StreamEnd::Close,
        StreamEnd::Reset,
    ];
}

/// Transfer of bytes in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferScript {
    /// Delay of each byte.
    pub delay: Duration,
    /// Maximum rate in bytes per second.
    pub rate: Option<u32>,
    /// Whether bytes flow; held bytes are kept.
    pub is_flowing: bool,
    /// Number of bytes after which the direction ends, when the next byte arrives.
    pub end: Option<(u64, StreamEnd)>,
}

impl Default for TransferScript {
    /// Transfers bytes at once and without an end.
    fn default() -> TransferScript {
        TransferScript {
            delay: Duration::ZERO,
            rate: None,
            is_flowing: true,
            end: None,
        }
    }
}

/// Script of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionScript {
    pub up: TransferScript,
    pub down: TransferScript,
}

impl ConnectionScript {
    /// Returns the script of one direction.
    pub fn transfer(&mut self, direction: StreamDirection) -> &mut TransferScript {
        match direction {
            StreamDirection::Up => &mut self.up,
            StreamDirection::Down => &mut self.down,
        }
    }

    /// Draws a script: delayed, sometimes slow, ended within the first `bytes`.
    pub fn random(rng: &mut SeededRng, bytes: u64) -> ConnectionScript {
        let mut script = ConnectionScript::default();
        for direction in StreamDirection::ALL {
            let transfer = script.transfer(direction);
            transfer.delay = Duration::from_millis(rng.random_below(20));
            transfer.rate =
                (rng.random_below(4) == 0).then(|| 2_000 + rng.random_below(20_000) as u32);
        }
        let direction = if rng.random_below(2) == 0 {
            StreamDirection::Up
        } else {
            StreamDirection::Down
        };
        let end = StreamEnd::ALL[rng.random_below(StreamEnd::ALL.len() as u64) as usize];
        script.transfer(direction).end = Some((rng.random_below(bytes), end));
        script
    }
}
