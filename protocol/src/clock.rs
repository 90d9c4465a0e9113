//! Time controls and the clocks of two seats. Pure: the time is an argument, in milliseconds.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Seat;

/// How much time each seat has for a whole game: a base and an increment added after each move
/// (Fischer's clock).
///
/// The text form is `base+increment`: the base in minutes, or in seconds with an `s`; the increment
/// in seconds. `5+3` is five minutes and three seconds a move, `30s+0` is thirty seconds in all.
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

/// Why a text is not a time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeControlError {
    /// Not of the form `5+3` or `30s+0`.
    Syntax,
    /// The base is not between one second and three hours.
    Base,
    /// The increment is more than three minutes.
    Increment,
}

impl TimeControl {
    /// The longest base: three hours.
    pub const MAX_BASE_S: u32 = 3 * 60 * 60;
    /// The longest increment: three minutes.
    pub const MAX_INCREMENT_S: u32 = 3 * 60;

    /// A control of `base_s` seconds a game and `increment_s` seconds a move.
    ///
    /// # Errors
    /// When either is outside its limits.
    pub fn new(base_s: u32, increment_s: u32) -> Result<TimeControl, TimeControlError> {
        if base_s == 0 || base_s > Self::MAX_BASE_S {
            return Err(TimeControlError::Base);
        }
        if increment_s > Self::MAX_INCREMENT_S {
            return Err(TimeControlError::Increment);
        }
        Ok(TimeControl { base_s, increment_s })
    }

    /// The time each seat starts with, in milliseconds.
    pub fn base_ms(self) -> u64 {
        u64::from(self.base_s) * 1000
    }

    /// The time added after each move, in milliseconds.
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
        let base = number(base)?.checked_mul(unit).ok_or(TimeControlError::Base)?;
        TimeControl::new(base, number(increment)?)
    }
}

/// Digits only: `str::parse` alone would take a sign.
fn number(text: &str) -> Result<u32, TimeControlError> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(TimeControlError::Syntax);
    }
    text.parse().map_err(|_| TimeControlError::Syntax)
}

impl fmt::Display for TimeControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TimeControlError::Syntax => {
                "a clock is minutes+seconds, as in 5+3, or seconds with an s, as in 30s+0"
            }
            TimeControlError::Base => "a clock starts with one second to three hours",
            TimeControlError::Increment => "a clock adds at most 180 seconds a move",
        })
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

/// The time left to both seats, and since when the mover's has been running.
///
/// All times are milliseconds; instants are on whatever scale the caller keeps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    control: TimeControl,
    left: [u64; 2],
    running: Option<(Seat, u64)>,
    /// What the runner used since it last stood still, before that.
    used: u64,
}

impl Clock {
    /// Both seats have the whole base and neither runs.
    pub fn new(control: TimeControl) -> Clock {
        Clock { control, left: [control.base_ms(); 2], running: None, used: 0 }
    }

    /// The control it was made from.
    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// What was left to each seat when the clock last stood still: X, then O.
    pub fn left_at_last_stop(&self) -> [u64; 2] {
        self.left
    }

    /// Whose time runs.
    pub fn running(&self) -> Option<Seat> {
        self.running.map(|(seat, _)| seat)
    }

    /// The time left to `seat` at `now`; zero when the flag has fallen.
    pub fn left(&self, seat: Seat, now: u64) -> u64 {
        let stored = self.left[seat.index()];
        match self.running {
            Some((running, since)) if running == seat => {
                stored.saturating_sub(self.used).saturating_sub(now.saturating_sub(since))
            }
            Some(_) | None => stored,
        }
    }

    /// When the flag of the running side falls, if one runs.
    pub fn flag_at(&self) -> Option<u64> {
        self.running
            .map(|(seat, since)| since.saturating_add(self.left[seat.index()].saturating_sub(self.used)))
    }

    /// What will be left to both seats once `seat` has moved at `now`: its use taken off and the
    /// increment added. Nothing changes; the event that records the move carries this.
    pub fn left_after_move(&self, seat: Seat, now: u64) -> [u64; 2] {
        let mut left = self.left;
        left[seat.index()] = self.left(seat, now).saturating_add(self.control.increment_ms());
        left
    }

    /// Sets what is left to both and lets `running` run from `now`, or nobody.
    pub fn set(&mut self, left: [u64; 2], running: Option<Seat>, now: u64) {
        self.left = left;
        self.running = running.map(|seat| (seat, now));
        self.used = 0;
    }

    /// Lets the runner go on from `now` after an outage, of the time since it last moved only `used` taken
    /// off: not so much that its flag would have fallen.
    pub fn resume(&mut self, now: u64, used: u64) {
        if let Some((seat, since)) = &mut self.running {
            *since = now;
            self.used = used.min(self.left[seat.index()].saturating_sub(1));
        }
    }

    /// Lets `ms` that have passed, or are about to, count for nobody.
    pub fn credit_time(&mut self, ms: u64) {
        if let Some((_, since)) = &mut self.running {
            *since = since.saturating_add(ms);
        }
    }

    /// Stands still at `now`, with what the runner used taken off.
    pub fn stop(&mut self, now: u64) {
        if let Some((seat, _)) = self.running {
            self.left[seat.index()] = self.left(seat, now);
            self.running = None;
            self.used = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_round_trips() {
        for text in ["5+3", "30s+0", "180+180", "1+0", "61s+7"] {
            assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn nonsense_is_refused() {
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
    fn after_an_outage_the_runner_goes_on_with_what_it_had() {
        let mut clock = Clock::new("1+2".parse().unwrap());
        clock.set(clock.left_at_last_stop(), Some(Seat::X), 1_000);
        clock.resume(500_000, 20_000);
        assert_eq!((clock.left(Seat::X, 400_000), clock.flag_at()), (40_000, Some(540_000)));
        assert_eq!((clock.left(Seat::X, 510_000), clock.left(Seat::O, 510_000)), (30_000, 60_000));
        assert_eq!(clock.left_at_last_stop(), [60_000; 2], "it has not stood still since");
        assert_eq!(clock.left_after_move(Seat::X, 510_000), [32_000, 60_000]);
        clock.resume(900_000, 99_000);
        assert_eq!(clock.left(Seat::X, 900_000), 1, "its flag had not fallen");
        clock.set([7_000; 2], Some(Seat::O), 950_000);
        assert_eq!(clock.left(Seat::O, 951_000), 6_000);
    }

    #[test]
    fn only_the_runner_loses_time() {
        let mut clock = Clock::new("1+2".parse().unwrap());
        assert_eq!(clock.flag_at(), None);
        clock.set(clock.left_at_last_stop(), Some(Seat::X), 1_000);
        assert_eq!((clock.left(Seat::X, 11_000), clock.left(Seat::O, 11_000)), (50_000, 60_000));
        assert_eq!(clock.flag_at(), Some(61_000));
        assert_eq!(clock.left_after_move(Seat::X, 11_000), [52_000, 60_000]);
        assert_eq!(clock.left(Seat::X, 70_000), 0);
        clock.credit_time(5_000);
        assert_eq!((clock.left(Seat::X, 11_000), clock.flag_at()), (55_000, Some(66_000)));
        clock.stop(26_000);
        clock.credit_time(5_000);
        assert_eq!((clock.left_at_last_stop(), clock.running()), ([40_000, 60_000], None));
        clock.resume(70_000, 5_000);
        assert_eq!((clock.left_at_last_stop(), clock.running()), ([40_000, 60_000], None));
    }
}
