//! When servers were there, pure: the times that a clock ran, so that after a restart only the outage counts
//! for nobody. Times are the server's milliseconds.

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;

/// What recording one event may take without a note here, in milliseconds: so much of it for each event is
/// taken to have counted for nobody, which it may have or not.
pub const UNNOTED: u64 = 500;

/// The most spans that are remembered; what older ones say is given back.
const MOST: usize = 32;

/// A time without a break: a server was there, and what happened could be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    from: u64,
    until: u64,
}

/// Spans, the oldest first, of this run and of those before it. None overlaps another: a machine whose clock
/// was set back tells no more what was before what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lived {
    spans: VecDeque<Span>,
}

impl Lived {
    /// From here on time counts.
    pub fn begin(&mut self, from: u64) {
        if self.spans.back().is_some_and(|last| last.until > from) {
            self.spans.clear();
        }
        self.spans.retain(|span| span.from < span.until);
        if self.spans.len() == MOST {
            self.spans.pop_front();
        }
        self.spans.push_back(Span { from, until: from });
    }

    /// It has counted until now.
    pub fn reach(&mut self, now: u64) {
        if let Some(last) = self.spans.back_mut() {
            last.until = last.until.max(now);
        }
    }

    /// What is behind `at` does not count after all.
    pub fn cut(&mut self, at: u64) {
        self.spans.retain(|span| span.from < at);
        if let Some(last) = self.spans.back_mut() {
            last.until = last.until.min(at);
        }
    }

    /// When it was last known to count.
    pub fn until(&self) -> u64 {
        self.spans.back().map_or(0, |last| last.until)
    }

    /// How much of it is behind `at`.
    pub fn after(&self, at: u64) -> u64 {
        let spans = self.spans.iter().map(|span| span.until.saturating_sub(span.from.max(at)));
        spans.fold(0, u64::saturating_add)
    }
}

/// `from-until`, with spaces between.
impl fmt::Display for Lived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, Span { from, until }) in self.spans.iter().enumerate() {
            let space = if number == 0 { "" } else { " " };
            write!(f, "{space}{from}-{until}")?;
        }
        Ok(())
    }
}

/// Not what [`Lived`] writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unread;

impl FromStr for Lived {
    type Err = Unread;

    fn from_str(text: &str) -> Result<Lived, Unread> {
        let mut spans = VecDeque::new();
        let mut before = 0;
        for span in text.split(' ').filter(|_| !text.is_empty()) {
            let (from, until) = span.split_once('-').ok_or(Unread)?;
            let span =
                Span { from: from.parse().map_err(|_| Unread)?, until: until.parse().map_err(|_| Unread)? };
            if span.from < before || span.until < span.from || spans.len() == MOST {
                return Err(Unread);
            }
            before = span.until;
            spans.push_back(span);
        }
        Ok(Lived { spans })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lived(text: &str) -> Lived {
        text.parse().unwrap()
    }

    #[test]
    fn what_lies_behind_an_instant_is_counted_once() {
        let lived = lived("10-20 30-35 50-90");
        for (at, after) in [(0, 55), (10, 55), (15, 50), (25, 45), (34, 41), (60, 30), (90, 0), (100, 0)] {
            assert_eq!(lived.after(at), after, "behind {at}");
        }
        assert_eq!(Lived::default().after(0), 0);
    }

    #[test]
    fn a_span_grows_and_is_cut() {
        let mut lived = lived("10-20");
        lived.begin(30);
        lived.reach(25);
        assert_eq!(lived.to_string(), "10-20 30-30", "it has not begun");
        lived.reach(40);
        lived.reach(38);
        assert_eq!(lived.to_string(), "10-20 30-40");
        assert_eq!(lived.until(), 40);
        lived.cut(35);
        lived.begin(60);
        lived.begin(70);
        assert_eq!(lived.to_string(), "10-20 30-35 70-70", "nothing was in between");
        lived.cut(15);
        assert_eq!(lived.to_string(), "10-15");
        lived.cut(5);
        lived.reach(90);
        assert_eq!(lived, Lived::default(), "nothing runs");
    }

    #[test]
    fn a_clock_set_back_leaves_nothing_of_what_was_before() {
        let mut lived = lived("10-20 30-40");
        lived.begin(39);
        assert_eq!(lived.to_string(), "39-39");
    }

    #[test]
    fn it_is_bounded_and_the_newest_stay() {
        let mut lived = Lived::default();
        for at in 0..100 {
            lived.begin(10 * at);
            lived.reach(10 * at + 5);
        }
        assert_eq!((lived.spans.len(), lived.after(0)), (MOST, 5 * MOST as u64));
        assert_eq!(lived.after(990), 5);
    }

    #[test]
    fn its_text_round_trips_and_nothing_else_is_read() {
        for text in ["", "0-0", "5-9", "5-9 9-12 13-13"] {
            assert_eq!(lived(text).to_string(), text);
        }
        let long = vec!["1-1"; MOST + 1].join(" ");
        for text in [" ", "5", "9-5", "5-9 8-12", "a-b", "5-9  10-12", "5-9 ", &long] {
            assert_eq!(text.parse::<Lived>(), Err(Unread), "{text:?}");
        }
    }
}
