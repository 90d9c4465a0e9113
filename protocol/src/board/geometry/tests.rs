//! Lines, columns and symmetries of boards of every shape.

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
