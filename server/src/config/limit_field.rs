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

/// A value that a user writes.
pub(super) trait LimitValue: PartialOrd + Sized {
    const UNIT: &str;

    fn parse(text: &str) -> Option<Self>;

    fn text(&self) -> String;
}

macro_rules! number_limits {
    ($($number:ty)+) => {$(
        impl LimitValue for $number {
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

number_limits!(u32 usize);

impl LimitValue for Duration {
    const UNIT: &str = "a time";

    fn parse(text: &str) -> Option<Duration> {
        humantime::parse_duration(text).ok()
    }

    fn text(&self) -> String {
        humantime::format_duration(*self).to_string()
    }
}

/// Parses a value that is in its range. The field may be optional.
pub(super) fn parse_limit<V: LimitValue, F: From<V>>(
    text: &str,
    range: RangeInclusive<V>,
) -> Option<F> {
    V::parse(text)
        .filter(|value| range.contains(value))
        .map(F::from)
}

/// Returns the unit of a limit with this range.
pub(super) fn unit<V: LimitValue>(_: &RangeInclusive<V>) -> &'static str {
    V::UNIT
}

/// Returns the range of a limit in words.
pub(super) fn range_text<V: LimitValue>(range: &RangeInclusive<V>) -> String {
    format!("{} to {}", range.start().text(), range.end().text())
}

/// Returns a default as a user writes it, or nothing if it is derived.
pub(super) fn default_text<V: LimitValue>(_: &RangeInclusive<V>, default: Option<V>) -> String {
    default.map(|value| value.text()).unwrap_or_default()
}
