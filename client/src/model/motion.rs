//! Animations on the board after an event: a mark that falls, or a winning line that lights up.

/// Duration of a frame, in milliseconds.
const FRAME_MS: u64 = 60;

/// An animation that has begun and ends after a few frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Motion {
    /// Start time, on the scale of the model's `now`.
    started_at: u64,
}

impl Motion {
    /// Number of frames until the board is at rest.
    pub(crate) const FRAMES: u8 = 3;

    pub(crate) fn start(now: u64) -> Motion {
        Motion { started_at: now }
    }

    /// Returns the zero-based frame to show; `None` when the board is at rest.
    pub(crate) fn frame(self, now: u64) -> Option<u8> {
        let frame = now.saturating_sub(self.started_at) / FRAME_MS;
        u8::try_from(frame)
            .ok()
            .filter(|frame| *frame < Motion::FRAMES)
    }

    /// Returns the time of the next frame. After the last frame, returns the time when the board comes to rest.
    pub(crate) fn next_frame_at(self, now: u64) -> Option<u64> {
        let frame = self.frame(now)?;
        Some(self.started_at + (u64::from(frame) + 1) * FRAME_MS)
    }
}
