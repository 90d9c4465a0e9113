//! Time controls, and the clocks of two seats. This module is pure: the time is an argument, in milliseconds.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Seat;

/// The time of each seat for a whole game: a base, and an increment after each move (Fischer clock).
///
/// The text form is `base+increment`: the base in minutes, or in seconds with an `s`; the increment in seconds. `5+3`
/// is five minutes and three seconds per move, `30s+0` is thirty seconds for the game.
///
/// ```
/// use noughts_protocol::TimeControl;
/// let blitz: TimeControl = "5+3".parse().unwrap();
/// assert_eq!((blitz.base_ms(), blitz.increment_ms()), (300_000, 3_000));
/// assert_eq!("90s+0".parse::<TimeControl>().unwrap().to_string(), "90s+0");
/// assert_eq!("120s+0".parse::<TimeControl>().unwrap().to_string(), "2+0");
/// assert!("0+5".parse::<TimeControl>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimeControl {
    base_s: u32,
    increment_s: u32,
}

/// Error of reading or building a [`TimeControl`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeControlError {
    /// The text is not of the form `5+3` or `30s+0`.
    Syntax,
    /// The base is not between one second and three hours.
    Base,
    /// The increment is more than three minutes.
    Increment,
}

impl TimeControl {
    /// Maximum base in seconds: three hours.
    pub const MAX_BASE_S: u32 = 3 * 60 * 60;
    /// Maximum increment in seconds: three minutes.
    pub const MAX_INCREMENT_S: u32 = 3 * 60;

    /// Creates a time control of `base_s` seconds per game and `increment_s` seconds per move.
    ///
    /// # Errors
    /// [`TimeControlError::Base`] or [`TimeControlError::Increment`] when a value is outside its limits.
    pub fn new(base_s: u32, increment_s: u32) -> Result<TimeControl, TimeControlError> {
        if base_s == 0 || base_s > Self::MAX_BASE_S {
            return Err(TimeControlError::Base);
        }
        if increment_s > Self::MAX_INCREMENT_S {
            return Err(TimeControlError::Increment);
        }
        Ok(TimeControl {
            base_s,
            increment_s,
        })
    }

    /// Returns the time of each seat at the start, in milliseconds.
    pub fn base_ms(self) -> u64 {
        u64::from(self.base_s) * 1000
    }

    /// Returns the time added after each move, in milliseconds.
    pub fn increment_ms(self) -> u64 {
        u64::from(self.increment_s) * 1000
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.base_s.is_multiple_of(60) {
            write!(f, "{}+{}", self.base_s / 60, self.increment_s)
        } else {
            write!(f, "{}s+{}", self.base_s, self.increment_s)
        }
    }
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<TimeControl, TimeControlError> {
        let (base, increment) = text.split_once('+').ok_or(TimeControlError::Syntax)?;
        let (base, unit) = match base.strip_suffix('s') {
            Some(seconds) => (seconds, 1),
            None => (base, 60),
        };
        let base = number(base)?
            .checked_mul(unit)
            .ok_or(TimeControlError::Base)?;
        TimeControl::new(base, number(increment)?)
    }
}

/// Reads a number that has only digits: `str::parse` would accept a sign.
fn number(text: &str) -> Result<u32, TimeControlError> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(TimeControlError::Syntax);
    }
    text.parse().map_err(|_| TimeControlError::Syntax)
}

impl TimeControlError {
    /// Returns a stable name for programs, in snake case.
    pub fn code(self) -> &'static str {
        match self {
            TimeControlError::Syntax => "clock_syntax",
            TimeControlError::Base => "clock_base",
            TimeControlError::Increment => "clock_increment",
        }
    }
}

impl fmt::Display for TimeControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl std::error::Error for TimeControlError {}

impl Serialize for TimeControl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TimeControl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TimeControl, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// The time left to both seats, and the seat with the running clock.
///
/// All times are milliseconds. The caller chooses the origin of instants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    control: TimeControl,
    left: [u64; 2],
    running: Option<(Seat, u64)>,
    /// Time that the running seat used before the instant in `running`, since the clock last stopped.
    used: u64,
    /// Whether the running seat makes a free move: its flag falls when its time is over, but the move is not charged.
    is_free: bool,
}

impl Clock {
    /// Creates a stopped clock with the whole base for both seats.
    pub fn new(control: TimeControl) -> Clock {
        Clock {
            control,
            left: [control.base_ms(); 2],
            running: None,
            used: 0,
            is_free: false,
        }
    }

    /// Returns the time control of this clock.
    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// Returns the time left to X and to O when the clock last stopped.
    pub fn left_at_last_stop(&self) -> [u64; 2] {
        self.left
    }

    /// Returns the seat with the running clock; `None` while the clock is stopped.
    pub fn running(&self) -> Option<Seat> {
        self.running.map(|(seat, _)| seat)
    }

    /// Returns whether the running seat makes a free move, see [`Clock::set_free`].
    pub fn is_free(&self) -> bool {
        self.is_free
    }

    /// Returns the time that the clock of `seat` shows at `now`. During a free move the shown time stands still until
    /// the flag falls.
    pub fn shown(&self, seat: Seat, now: u64) -> u64 {
        match self.left(seat, now) {
            0 => 0,
            _ if self.is_free => self.left[seat.index()],
            left => left,
        }
    }

    /// Returns the time left to `seat` at `now` until its flag falls; 0 when it has fallen.
    pub fn left(&self, seat: Seat, now: u64) -> u64 {
        let stored = self.left[seat.index()];
        match self.running {
            Some((running, since)) if running == seat => stored
                .saturating_sub(self.used)
                .saturating_sub(now.saturating_sub(since)),
            Some(_) | None => stored,
        }
    }

    /// Returns the instant when the flag of the running seat falls; `None` while the clock is stopped.
    pub fn flag_at(&self) -> Option<u64> {
        self.running.map(|(seat, since)| {
            since.saturating_add(self.left[seat.index()].saturating_sub(self.used))
        })
    }

    /// Returns the time left to both seats after a move of `seat` at `now`: the used time subtracted, the increment
    /// added. A free move changes no time. The clock itself is not changed, because the event of the move contains the
    /// result.
    pub fn left_after_move(&self, seat: Seat, now: u64) -> [u64; 2] {
        let mut left = self.left;
        if self.is_free {
            return left;
        }
        left[seat.index()] = self
            .left(seat, now)
            .saturating_add(self.control.increment_ms());
        left
    }

    /// Sets the time left to both seats, and starts the time of `running` at `now`; `None` stops the clock.
    pub fn set(&mut self, left: [u64; 2], running: Option<Seat>, now: u64) {
        self.left = left;
        self.running = running.map(|seat| (seat, now));
        self.used = 0;
        self.is_free = false;
    }

    /// Sets the time left to both seats, and starts a free move of `running` at `now`. Its flag falls when its time
    /// left is over, but the move is not charged and earns no increment.
    pub fn set_free(&mut self, left: [u64; 2], running: Seat, now: u64) {
        self.set(left, Some(running), now);
        self.is_free = true;
    }

    /// Starts the time of the running seat at `now`, with `used` ms already charged; at least 1 ms is left. After an
    /// outage `used` is 0; after a snapshot of a free move it is the time that the snapshot counts as used.
    pub fn resume(&mut self, now: u64, used: u64) {
        if let Some((seat, since)) = &mut self.running {
            *since = now;
            self.used = used.min(self.left[seat.index()].saturating_sub(1));
        }
    }

    /// Credits `ms` milliseconds to the running clock: the running seat is not charged for this time.
    pub fn credit_time(&mut self, ms: u64) {
        if let Some((_, since)) = &mut self.running {
            *since = since.saturating_add(ms);
        }
    }

    /// Stops the clock at `now` and charges the running seat for the time that it used.
    pub fn stop(&mut self, now: u64) {
        if let Some((seat, _)) = self.running {
            self.left[seat.index()] = self.shown(seat, now);
            self.running = None;
            self.used = 0;
            self.is_free = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_texts_are_rejected() {
        use TimeControlError::{Base, Increment, Syntax};
        for (text, error) in [
            ("", Syntax),
            ("5", Syntax),
            ("+", Syntax),
            ("-5+3", Syntax),
            ("+5+3", Syntax),
            ("5+3s", Syntax),
            ("99999999999+0", Syntax),
            ("4294967295+0", Base),
            ("0+3", Base),
            ("181+0", Base),
            ("1+181", Increment),
        ] {
            assert_eq!(text.parse::<TimeControl>(), Err(error), "{text}");
        }
    }

    #[test]
    fn time_used_before_a_resumption_is_charged_once() {
        let mut clock = Clock::new("1+2".parse().unwrap());
        clock.set(clock.left_at_last_stop(), Some(Seat::X), 1_000);
        clock.resume(500_000, 20_000);
        assert_eq!(
            (clock.left(Seat::X, 400_000), clock.flag_at()),
            (40_000, Some(540_000))
        );
        assert_eq!(
            (clock.left(Seat::X, 510_000), clock.left(Seat::O, 510_000)),
            (30_000, 60_000)
        );
        assert_eq!(
            clock.left_at_last_stop(),
            [60_000; 2],
            "the clock has not stopped"
        );
        assert_eq!(clock.left_after_move(Seat::X, 510_000), [32_000, 60_000]);
        clock.resume(900_000, 99_000);
        assert_eq!(clock.left(Seat::X, 900_000), 1, "its flag had not fallen");
        clock.set([7_000; 2], Some(Seat::O), 950_000);
        assert_eq!(clock.left(Seat::O, 951_000), 6_000);
    }

    #[test]
    fn a_free_move_costs_no_time_but_has_a_limit() {
        let mut clock = Clock::new("1+2".parse().unwrap());
        clock.set_free([60_000; 2], Seat::X, 1_000);
        assert_eq!(
            (clock.shown(Seat::X, 50_000), clock.left(Seat::X, 50_000)),
            (60_000, 11_000)
        );
        assert_eq!(clock.flag_at(), Some(61_000));
        assert_eq!(
            (clock.shown(Seat::X, 61_000), clock.shown(Seat::O, 61_000)),
            (0, 60_000)
        );
        assert_eq!(clock.left_after_move(Seat::X, 50_000), [60_000; 2]);
        let mut stopped = clock;
        stopped.stop(50_000);
        assert_eq!(
            (stopped.left_at_last_stop(), stopped.is_free()),
            ([60_000; 2], false)
        );
        clock.resume(500_000, 20_000);
        assert_eq!(
            (clock.shown(Seat::X, 510_000), clock.flag_at()),
            (60_000, Some(540_000))
        );
        clock.set([60_000; 2], Some(Seat::O), 600_000);
        assert_eq!(clock.shown(Seat::O, 610_000), 50_000);
    }

    #[test]
    fn only_the_running_seat_loses_time() {
        let mut clock = Clock::new("1+2".parse().unwrap());
        assert_eq!(clock.flag_at(), None);
        clock.set(clock.left_at_last_stop(), Some(Seat::X), 1_000);
        assert_eq!(
            (clock.left(Seat::X, 11_000), clock.left(Seat::O, 11_000)),
            (50_000, 60_000)
        );
        assert_eq!(clock.flag_at(), Some(61_000));
        assert_eq!(clock.left_after_move(Seat::X, 11_000), [52_000, 60_000]);
        assert_eq!(clock.left(Seat::X, 70_000), 0);
        clock.credit_time(5_000);
        assert_eq!(
            (clock.left(Seat::X, 11_000), clock.flag_at()),
            (55_000, Some(66_000))
        );
        clock.stop(26_000);
        clock.credit_time(5_000);
        assert_eq!(
            (clock.left_at_last_stop(), clock.running()),
            ([40_000, 60_000], None)
        );
        clock.resume(70_000, 5_000);
        assert_eq!(
            (clock.left_at_last_stop(), clock.running()),
            ([40_000, 60_000], None)
        );
    }
}
