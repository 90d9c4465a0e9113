//! Lines, columns and symmetries of boards of every shape.

use std::collections::BTreeSet;

use super::*;

fn geometry(rules: &str) -> Geometry {
    Geometry::new(rules.parse().unwrap())
}

#[test]
fn directions_are_sorted() {
    let steps = |rules| -> Vec<Vec<i8>> {
        geometry(rules)
            .directions()
            .iter()
            .map(|direction| direction.steps().to_vec())
            .collect()
    };
    assert_eq!(steps("9:3"), [[1]]);
    assert_eq!(steps("3x3:3"), [[1, 0], [0, 1], [1, 1], [-1, 1]]);
    assert_eq!(
        steps("3x3x3:3")[..5],
        [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [-1, 1, 0]]
    );
    assert_eq!((steps("3x3x3:3").len(), steps("3x3x3x3:3").len()), (13, 40));
}

#[test]
fn incidences_are_the_inverse_of_lines() {
    for rules in ["3x3:3", "7x6:4+gravity", "5x1:2", "4x3x2:2", "3x3x3x3:3"] {
        let geometry = geometry(rules);
        let mut incidences = 0;
        for line in 0..geometry.board_line_count() {
            let steps = geometry.board_line_direction(line).steps().to_vec();
            for pair in geometry.board_line(line).windows(2) {
                let [from, to] = [pair[0], pair[1]].map(|cell| geometry.coordinates(cell));
                assert!(
                    steps
                        .iter()
                        .enumerate()
                        .all(|(axis, &step)| to[axis] as i8 - from[axis] as i8 == step)
                );
            }
            for (offset, &cell) in geometry.board_line(line).iter().enumerate() {
                let incidence = Incidence {
                    board_line: line as u16,
                    offset: offset as u8,
                };
                assert!(geometry.board_lines_through(cell).contains(&incidence));
                incidences += 1;
            }
        }
        assert_eq!(geometry.incidences.len(), incidences, "{rules}");
    }
}

/// Returns every window by its definition, as a sorted list of cells.
fn naive_windows(rules: &Rules) -> BTreeSet<Vec<Cell>> {
    let (k, sides) = (i16::from(rules.line()), rules.padded_sides());
    let window = |first: u16, number: usize| -> Option<Vec<Cell>> {
        let step = [1, 3, 9, 27].map(|place| [0, 1, -1][number / place % 3]);
        if (0..AXES).any(|axis| step[axis] != 0 && i16::from(sides[axis]) < k) {
            return None;
        }
        let at = rules.coordinates(Cell::new(first))?;
        let cell = |distance: i16| {
            let mut moved = [0; AXES];
            for axis in 0..AXES {
                let (along, side) = (
                    i16::from(at[axis]) + distance * step[axis],
                    i16::from(sides[axis]),
                );
                let is_open = !rules.torus() || (axis == 1 && rules.gravity());
                if is_open && !(0..side).contains(&along) {
                    return None;
                }
                moved[axis] = along.rem_euclid(side) as u8;
            }
            rules.cell_at(&moved[..rules.dimensions()])
        };
        let mut cells = (0..k).map(cell).collect::<Option<Vec<_>>>()?;
        cells.sort();
        Some(cells)
    };
    (0..rules.cells() as u16)
        .flat_map(|first| {
            (1..3_usize.pow(rules.dimensions() as u32)).map(move |number| (first, number))
        })
        .filter_map(|(first, number)| window(first, number))
        .collect()
}

#[test]
fn each_window_is_listed_once() {
    for rules in [
        "7x6:4+gravity",
        "3x3:3+torus",
        "4x4:3+torus",
        "9:3+torus",
        "2x2:2+torus",
        "2x3:2+torus",
        "3x5:4+torus",
        "25x24:5+torus",
        "25x25:24+torus",
        "7x6:4+gravity+torus",
        "3x6:3+gravity+torus",
        "2x2x2:2+torus",
        "3x4x5:3+torus",
        "4x4x8x8:4+torus",
        "2x3x2:2+gravity+torus",
    ] {
        let geometry = geometry(rules);
        let mut windows: Vec<Vec<Cell>> = geometry.windows().map(<[Cell]>::to_vec).collect();
        windows.iter_mut().for_each(|window| window.sort());
        windows.sort();
        let expected: Vec<Vec<Cell>> = naive_windows(geometry.rules()).into_iter().collect();
        assert!(
            windows == expected,
            "{rules}: {} and {}",
            windows.len(),
            expected.len()
        );
        let lines = 0..geometry.board_line_count();
        assert!(
            lines
                .clone()
                .all(|line| geometry.board_line(line).len() <= MAX_BOARD_LINE_CELLS)
        );
    }
}

#[test]
fn distances_and_shared_windows_cross_the_edges_of_a_torus() {
    for (rules, distance, is_shared) in [
        ("9x9:5", 8, false),
        ("9x9:5+torus", 1, true),
        ("9x9:5+gravity+torus", 8, false),
        ("9x3:5+torus", 1, false),
    ] {
        let geometry = geometry(rules);
        let last = Cell::new(geometry.rules().cells() as u16 - 1);
        let pair = (Cell::new(0), last);
        assert_eq!(geometry.distance(pair.0, pair.1), distance, "{rules}");
        assert_eq!(geometry.shares_window(pair.0, pair.1), is_shared, "{rules}");
    }
}

#[test]
fn columns_fill_from_the_greatest_row() {
    let rows = |rules, cell| -> Vec<usize> {
        geometry(rules)
            .column(Cell::new(cell))
            .map(Cell::index)
            .collect()
    };
    assert_eq!(rows("3x2:2+gravity", 1), [4, 1]);
    assert_eq!(rows("2x2x2:2+gravity", 5), [7, 5]);
    assert_eq!(rows("9:3", 4), [4]);
}

#[test]
fn symmetries_are_distinct_permutations() {
    for rules in [
        "3x3:3",
        "7x6:4+gravity",
        "1x5:3",
        "2x3x2:2",
        "2x2x2x2:2",
        "2x3x2:2+gravity",
        "2x4:2+torus",
        "5x3:3+gravity+torus",
    ] {
        let symmetries = geometry(rules).symmetries();
        assert!(symmetries[0].is_sorted(), "the first changes nothing");
        for (number, symmetry) in symmetries.iter().enumerate() {
            let mut cells = symmetry.clone();
            cells.sort();
            assert_eq!(cells, symmetries[0]);
            assert!(!symmetries[..number].contains(symmetry), "{rules}");
        }
    }
}
