//! One limit of the server: its name, documentation, default and range, and how a text sets it.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

/// A row of a table of limits, which are the fields of `L`.
pub(crate) struct LimitField<L> {
    /// Name as in `--set NAME=VALUE`, with hyphens.
    pub name: String,
    /// Lines of the doc comment.
    pub document: &'static [&'static str],
    /// Default, where it follows from another limit.
    pub derived: Option<&'static str>,
    /// Name of the value in `--help`, if the limit has a flag of its own.
    pub flag: Option<&'static str>,
    /// "a number" or "a time".
    pub unit: &'static str,
    /// First and last value: "1 to 64".
    pub range: String,
    /// Default as a user writes it. Empty if it is derived.
    pub default: String,
    pub set: fn(&mut L, &str) -> Option<()>,
}

impl<L> LimitField<L> {
    /// Returns the documentation in one line.
    pub(crate) fn document(&self) -> String {
        let lines: Vec<&str> = self.document.iter().map(|line| line.trim()).collect();
        lines.join(" ")
    }

    /// Returns the default as the pages show it.
    pub(crate) fn shown_default(&self) -> &str {
        self.derived.unwrap_or(&self.default)
    }
}

impl<L> fmt::Debug for LimitField<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LimitField")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// A setting that names no limit, or a value that is not one of its limit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LimitError {
    #[error("expected NAME=VALUE, for example send-queue=128")]
    Syntax,
    #[error("{name} is not a limit; the limits are\n  {known}")]
    Unknown { name: String, known: String },
    #[error("{name} has a flag of its own: --{name}")]
    HasFlag { name: String },
    #[error("{name} takes {unit}, {range}")]
    Value {
        name: String,
        unit: &'static str,
        range: String,
    },
}

/// The type of a limit.
pub(super) trait LimitValue: Sized {
    /// The value that a user writes.
    type Written: WrittenLimit;

    fn from_written(written: Self::Written) -> Self;

    /// Returns none if the value is derived from another limit.
    fn written(self) -> Option<Self::Written>;
}

/// A value that a user writes.
pub(super) trait WrittenLimit: PartialOrd + Sized {
    const UNIT: &str;

    fn parse(text: &str) -> Option<Self>;

    fn text(&self) -> String;
}

impl<W: WrittenLimit> LimitValue for W {
    type Written = W;

    fn from_written(written: W) -> W {
        written
    }

    fn written(self) -> Option<W> {
        Some(self)
    }
}

impl<W: WrittenLimit> LimitValue for Option<W> {
    type Written = W;

    fn from_written(written: W) -> Option<W> {
        Some(written)
    }

    fn written(self) -> Option<W> {
        self
    }
}

macro_rules! written_numbers {
    ($($number:ty)+) => {$(
        impl WrittenLimit for $number {
            const UNIT: &str = "a number";

            fn parse(text: &str) -> Option<$number> {
                text.parse().ok()
            }

            fn text(&self) -> String {
                self.to_string()
            }
        }
    )+};
}

written_numbers!(u32 usize);

impl WrittenLimit for Duration {
    const UNIT: &str = "a time";

    fn parse(text: &str) -> Option<Duration> {
        humantime::parse_duration(text).ok()
    }

    fn text(&self) -> String {
        humantime::format_duration(*self).to_string()
    }
}

/// Parses a value, and returns it if it is in its range.
pub(super) fn parse_limit<V: LimitValue>(
    text: &str,
    range: RangeInclusive<V::Written>,
) -> Option<V> {
    let written = V::Written::parse(text).filter(|written| range.contains(written))?;
    Some(V::from_written(written))
}

/// Returns the unit of a limit with this range.
pub(super) fn unit<W: WrittenLimit>(_: &RangeInclusive<W>) -> &'static str {
    W::UNIT
}

/// Returns the range of a limit in words.
pub(super) fn range_text<W: WrittenLimit>(range: &RangeInclusive<W>) -> String {
    format!("{} to {}", range.start().text(), range.end().text())
}

/// Returns a default as a user writes it, or nothing if it is derived.
pub(super) fn default_text<V: LimitValue>(default: V) -> String {
    default
        .written()
        .map(|written| written.text())
        .unwrap_or_default()
}
