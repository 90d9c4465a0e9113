//! Aspiration windows: an iteration first distinguishes only the values near that of the iteration before
//! (<https://www.chessprogramming.org/Aspiration_Windows>).

use crate::alpha_beta::search::{PROVEN, WIN};

/// Minimum depth of an iteration with a narrow window.
const MIN_DEPTH: i32 = 5;
/// Factor by which the margin grows when the value lies outside the window.
const GROWTH: i32 = 3;
/// Number of narrow windows before a side of the window becomes unlimited.
const MAX_NARROW_WINDOWS: u32 = 3;

/// The window of one iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AspirationWindow {
    pub(super) alpha: i32,
    pub(super) beta: i32,
    /// The value of the iteration before.
    expected: i32,
    margin: i32,
    /// Number of windows so far, this one included.
    windows: u32,
}

impl AspirationWindow {
    /// All values.
    pub(super) const FULL: AspirationWindow = AspirationWindow {
        alpha: -WIN,
        beta: WIN,
        expected: 0,
        margin: WIN,
        windows: MAX_NARROW_WINDOWS,
    };

    /// The values within `margin` of the value of the iteration before; all values at a low depth and beside a proven value.
    pub(super) fn new(depth: i32, expected: i32, margin: i32) -> AspirationWindow {
        if depth < MIN_DEPTH || expected.abs() >= PROVEN {
            return AspirationWindow::FULL;
        }
        AspirationWindow {
            alpha: expected - margin,
            beta: expected + margin,
            expected,
            margin,
            windows: 1,
        }
    }

    /// Whether a search with this window found the value itself, not only a bound of it.
    pub(super) fn contains(&self, value: i32) -> bool {
        (self.alpha == -WIN || value > self.alpha) && (self.beta == WIN || value < self.beta)
    }

    /// Widens the window on the side of `value`, which must lie outside it.
    pub(super) fn widen(&mut self, value: i32) {
        self.windows += 1;
        let is_full = self.windows > MAX_NARROW_WINDOWS;
        self.margin *= GROWTH;
        if value <= self.alpha {
            self.alpha = if is_full {
                -WIN
            } else {
                self.expected - self.margin
            };
        } else {
            self.beta = if is_full {
                WIN
            } else {
                self.expected + self.margin
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_grows_on_the_side_of_the_value() {
        let mut window = AspirationWindow::new(MIN_DEPTH, 10, 25);
        assert_eq!((window.alpha, window.beta), (-15, 35));
        assert!(
            window.contains(-14)
                && window.contains(34)
                && !window.contains(-15)
                && !window.contains(35)
        );
        window.widen(35);
        assert_eq!((window.alpha, window.beta), (-15, 85));
        window.widen(-20);
        assert_eq!((window.alpha, window.beta), (-215, 85));
        window.widen(WIN - 3);
        assert_eq!((window.alpha, window.beta), (-215, WIN));
        window.widen(-WIN);
        assert_eq!((window.alpha, window.beta), (-WIN, WIN));
        assert!(window.contains(-WIN) && window.contains(WIN));
    }

    #[test]
    fn low_depths_and_proven_values_have_the_full_window() {
        assert_eq!(
            AspirationWindow::new(MIN_DEPTH - 1, 10, 25),
            AspirationWindow::FULL
        );
        assert_eq!(
            AspirationWindow::new(MIN_DEPTH, WIN - 9, 25),
            AspirationWindow::FULL
        );
        assert_eq!(
            AspirationWindow::new(MIN_DEPTH, 9 - WIN, 25),
            AspirationWindow::FULL
        );
    }
}
