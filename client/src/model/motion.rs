//! Motion on the board after an event: a mark that falls, or a winning line that lights up.

/// How long a frame is shown, in milliseconds.
const FRAME_MS: u64 = 60;

/// A motion that has begun, and ends after a few frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Motion {
    /// On the scale of the model's `now`.
    started_at: u64,
}

impl Motion {
    /// Number of frames before the board is at rest.
    pub(crate) const FRAMES: u8 = 3;

    pub(crate) fn start(now: u64) -> Motion {
        Motion { started_at: now }
    }

    /// Returns the frame to show, from 0; `None` at rest.
    pub(crate) fn frame(self, now: u64) -> Option<u8> {
        let frame = now.saturating_sub(self.started_at) / FRAME_MS;
        u8::try_from(frame)
            .ok()
            .filter(|frame| *frame < Motion::FRAMES)
    }

    /// Returns the time of the next frame; after the last frame, the time when the board comes to rest.
    pub(crate) fn next_frame_at(self, now: u64) -> Option<u64> {
        let frame = self.frame(now)?;
        Some(self.started_at + (u64::from(frame) + 1) * FRAME_MS)
    }
}
