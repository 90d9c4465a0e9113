//! The directions of lines.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Rules;

const AXES: usize = Rules::MAX_DIMENSIONS;

/// A step along a line: -1, 0 or 1 along each dimension, not all 0.
///
/// On the wire it is an array of as many numbers as the board has dimensions: `[1, 0]` is a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Direction {
    steps: [i8; AXES],
    dimensions: u8,
}

impl Direction {
    /// Creates a direction of these steps along x, y, z and w. `None` unless there are one to four of them, each -1, 0
    /// or 1, and not all 0.
    pub fn new(steps: &[i8]) -> Option<Direction> {
        let fits =
            (1..=AXES).contains(&steps.len()) && steps.iter().all(|step| (-1..=1).contains(step));
        if !fits || steps.iter().all(|&step| step == 0) {
            return None;
        }
        let mut padded = [0; AXES];
        padded[..steps.len()].copy_from_slice(steps);
        Some(Direction {
            steps: padded,
            dimensions: steps.len() as u8,
        })
    }

    /// Returns the step along each dimension of the board.
    pub fn steps(&self) -> &[i8] {
        &self.steps[..usize::from(self.dimensions)]
    }

    /// Returns every direction of a board with +1 as its last nonzero step, which leads to greater indices: one of each
    /// opposite pair.
    ///
    /// The order is by the number of axes, then by the axes, then +1 before -1: in two dimensions row
    /// (1, 0), column (0, 1), main diagonal (1, 1), other diagonal (-1, 1).
    pub(super) fn all(dimensions: usize) -> Vec<Direction> {
        let mut all: Vec<Direction> = (0..3_usize.pow(dimensions as u32))
            .filter_map(|number| {
                let mut rest = number;
                let mut steps = [0; AXES];
                for step in &mut steps[..dimensions] {
                    *step = [0, 1, -1][rest % 3];
                    rest /= 3;
                }
                Direction::new(&steps[..dimensions])
            })
            .filter(|direction| direction.steps.iter().rev().find(|&&step| step != 0) == Some(&1))
            .collect();
        all.sort_by_key(|direction| {
            let axes: u8 = (0..AXES)
                .map(|axis| u8::from(direction.steps[axis] != 0) << axis)
                .sum();
            (
                axes.count_ones(),
                axes,
                direction.steps.map(|step| step < 0),
            )
        });
        all
    }

    /// Returns the step along each of the four axes, 0 beyond the dimensions.
    pub(super) fn padded_steps(&self) -> [i8; AXES] {
        self.steps
    }
}

impl Serialize for Direction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.steps().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Direction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Direction, D::Error> {
        let steps = Vec::<i8>::deserialize(deserializer)?;
        Direction::new(&steps).ok_or_else(|| serde::de::Error::custom("not a direction"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_is_an_array_of_steps() {
        let direction = Direction::new(&[-1, 1]).unwrap();
        assert_eq!(serde_json::to_string(&direction).unwrap(), "[-1,1]");
        assert_eq!(
            serde_json::from_str::<Direction>("[-1,1]").unwrap(),
            direction
        );
        for text in ["[]", "[0,0]", "[2,0]", "[1,0,0,0,0]", "1"] {
            assert!(serde_json::from_str::<Direction>(text).is_err(), "{text}");
        }
    }
}
