//! Exhaustive counts. Each expected number is published, or was computed by at least two independent
//! programs.
//!
//! By default the tests count only the depths that take two or three seconds together. Counting all depths takes about
//! ten seconds: `NOUGHTS_TEST_PERFT=deep cargo test -p noughts-protocol --test perft`

use std::collections::{HashMap, HashSet};

use noughts_protocol::perft;
use noughts_protocol::{Geometry, Position, Rules, Seat, Status};

/// Rules, and the numbers of leaves at depth 0, 1, 2 and so on.
const PERFT_COUNTS: &[(&str, &[u64])] = &[
    (
        "3x3:3",
        &[1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872],
    ),
    (
        "7x6:4+gravity",
        &[
            1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234, 39394572, 268031646, 1844590828,
        ],
    ),
    (
        "4x3:3",
        &[
            1, 12, 132, 1320, 11880, 95040, 622944, 3499200, 14031360, 44872704,
        ],
    ),
    (
        "4x4:4",
        &[
            1, 16, 240, 3360, 43680, 524160, 5765760, 57657600, 516067200,
        ],
    ),
    ("5x5:4", &[1, 25, 600, 13800, 303600, 6375600, 127512000]),
    ("6x5:4", &[1, 30, 870, 24360, 657720, 17100720, 427518000]),
    ("7x7:5", &[1, 49, 2352, 110544, 5085024, 228826080]),
    ("3x3x3:3", &[1, 27, 702, 17550, 421200, 9687600, 209556864]),
    ("4x4x4:4", &[1, 64, 4032, 249984, 15249024, 914941440]),
    (
        "4x4x4:4+gravity",
        &[1, 16, 256, 4096, 65536, 1048560, 16775760, 268358160],
    ),
    ("3x3x3x3:3", &[1, 81, 6480, 511920, 39929760]),
    ("15x15:5", &[1, 225, 50400, 11239200, 2495102400]),
    (
        "3x3:3+torus",
        &[1, 9, 72, 504, 3024, 15120, 51840, 132192, 124416, 31104],
    ),
    (
        "3x3:3+misere+torus",
        &[1, 9, 72, 504, 3024, 15120, 51840, 132192, 124416, 31104],
    ),
    (
        "4x4:4+torus",
        &[1, 16, 240, 3360, 43680, 524160, 5765760, 57657600],
    ),
    ("19x19:5", &[1, 361, 129960, 46655640]),
];

/// Limit of played moves for one number by default. The moves of the last ply are counted without being played: the
/// limit applies to the previous ply.
const MAX_PLAYED_MOVES: u64 = 20_000_000;

fn empty_position(rules: &str) -> Position {
    Position::new(rules.parse().unwrap())
}

fn is_deep_run() -> bool {
    std::env::var("NOUGHTS_TEST_PERFT").is_ok_and(|value| value == "deep")
}

#[test]
fn leaf_counts_match_known_values() {
    for (rules, counts) in PERFT_COUNTS {
        let mut position = empty_position(rules);
        for (depth, &count) in counts.iter().enumerate() {
            let played = counts[depth.saturating_sub(1)];
            if is_deep_run() || played <= MAX_PLAYED_MOVES {
                assert_eq!(
                    perft(&mut position, depth as u32),
                    count,
                    "{rules} at depth {depth}"
                );
            }
        }
        assert_eq!(position, empty_position(rules));
    }
}

/// Counters of a walk over all games of 3x3:3.
#[derive(Default)]
struct GameTree {
    /// Games by result.
    games: HashMap<Status, u64>,
    /// Games by length.
    lengths: [u64; 10],
    /// Distinct boards by ply, and distinct boards of ended games.
    boards: Vec<HashSet<StoneList>>,
    finished: HashSet<(StoneList, Status)>,
    keys: HashMap<StoneList, u64>,
}

type StoneList = Vec<Option<Seat>>;

impl GameTree {
    fn visit_all(&mut self, position: &mut Position) {
        let cells = position.rules().cells() as u16;
        let stones: StoneList = (0..cells)
            .map(|cell| position.stone_at(noughts_protocol::Cell::new(cell)))
            .collect();
        assert_eq!(
            *self.keys.entry(stones.clone()).or_insert(position.key()),
            position.key(),
            "{position:?}"
        );
        self.boards[position.ply()].insert(stones.clone());
        if position.status() != Status::Ongoing {
            *self.games.entry(position.status()).or_default() += 1;
            self.lengths[position.ply()] += 1;
            self.finished.insert((stones, position.status()));
        }
        let moves: Vec<_> = position.legal_moves().collect();
        for cell in moves {
            position.play(cell).unwrap();
            self.visit_all(position);
            position.undo();
        }
    }
}

#[test]
fn all_games_of_three_by_three() {
    let mut position = empty_position("3x3:3");
    let mut tree = GameTree {
        boards: vec![HashSet::new(); 10],
        ..GameTree::default()
    };
    tree.visit_all(&mut position);

    let (x, o) = (Status::Won(Seat::X), Status::Won(Seat::O));
    assert_eq!(
        tree.games,
        HashMap::from([(x, 131_184), (o, 77_904), (Status::Drawn, 46_080)])
    );
    assert_eq!(
        tree.lengths,
        [0, 0, 0, 0, 0, 1440, 5328, 47_952, 72_576, 127_872]
    );
    assert_eq!(tree.lengths.iter().sum::<u64>(), 255_168);

    let by_ply: Vec<usize> = tree.boards.iter().map(HashSet::len).collect();
    assert_eq!(by_ply, [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]);
    assert_eq!(by_ply.iter().sum::<usize>(), 5_478);

    let count = |status| {
        tree.finished
            .iter()
            .filter(|(_, found)| *found == status)
            .count()
    };
    assert_eq!((count(x), count(o), count(Status::Drawn)), (626, 316, 16));

    let keys: HashSet<u64> = tree.keys.values().copied().collect();
    assert_eq!(
        (tree.keys.len(), keys.len()),
        (5_478, 5_478),
        "one key for each board"
    );

    let symmetries = position.geometry().symmetries();
    let canonical = |stones: &StoneList| -> StoneList {
        let mapped = |symmetry: &Vec<noughts_protocol::Cell>| -> StoneList {
            let mut mapped = vec![None; stones.len()];
            symmetry
                .iter()
                .zip(stones)
                .for_each(|(target, &stone)| mapped[target.index()] = stone);
            mapped
        };
        symmetries.iter().map(mapped).min().unwrap()
    };
    assert_eq!(
        tree.keys
            .keys()
            .map(canonical)
            .collect::<HashSet<_>>()
            .len(),
        765
    );
    assert_eq!(
        tree.finished
            .iter()
            .map(|(stones, _)| canonical(stones))
            .collect::<HashSet<_>>()
            .len(),
        138
    );
}

/// Returns the number of distinct positions of each ply. Keys distinguish positions; each is visited once.
fn distinct_positions(rules: &str, plies: usize) -> Vec<usize> {
    fn visit_all(position: &mut Position, seen: &mut [HashSet<u64>]) {
        if !seen[position.ply()].insert(position.key()) || position.ply() + 1 == seen.len() {
            return;
        }
        let mut from = 0;
        while let Some(cell) = position.legal_from(from) {
            from = cell.index() + 1;
            position.play(cell).unwrap();
            visit_all(position, seen);
            position.undo();
        }
    }
    let mut seen = vec![HashSet::new(); plies + 1];
    visit_all(&mut empty_position(rules), &mut seen);
    seen.iter().map(HashSet::len).collect()
}

#[test]
fn distinct_positions_of_connect_four() {
    let expected = [
        1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275, 558186, 1662623, 4568683,
    ];
    let plies = if is_deep_run() { 11 } else { 9 };
    assert_eq!(distinct_positions("connect4", plies), expected[..=plies]);
}

#[test]
fn windows_and_symmetries_are_counted() {
    let check = |rules: &str, windows: Option<usize>, symmetries: usize| {
        let geometry = Geometry::new(rules.parse().unwrap());
        if let Some(windows) = windows {
            assert_eq!(
                (geometry.window_count(), geometry.windows().count()),
                (windows, windows),
                "{rules}"
            );
        }
        assert_eq!(geometry.symmetries().len(), symmetries, "{rules}");
    };
    check("3x3:3", Some(8), 8);
    check("7x6:4+gravity", Some(69), 2);
    check("7x6:4", Some(69), 4);
    check("4x4:4", Some(10), 8);
    check("5x5:4", Some(28), 8);
    check("15x15:5", Some(572), 8);
    check("19x19:5", Some(1020), 8);
    check("3x3x3:3", Some(49), 48);
    check("4x4x4:4", Some(76), 48);
    check("3x3x3x3:3", Some(272), 384);
    check("4x4x4:4+gravity", Some(76), 8);
    // On a torus, translations are symmetries too. A line as long as a side is one window wherever it begins, and a
    // step along a side of two cells has one direction.
    check("3x3:3+torus", Some(12), 72);
    check("4x4:4+torus", Some(16), 128);
    check("7x6:4+torus", Some(168), 168);
    check("7x6:4+gravity+torus", Some(105), 14);
    check("2x2:2+torus", Some(6), 8);
    check("25x24:5+torus", Some(2400), 2400);
    // Sides of one cell do not add symmetries, and lines of one cell do not add directions.
    check("5x1:3", Some(3), 2);
    check("3x3x1:3", Some(8), 8);
    check("3x3:1", Some(9), 8);
    check("1:1", Some(1), 1);
}

#[test]
fn hypercube_line_counts_match_the_formula() {
    // ((n + 2)^d - n^d) / 2: Hales and Jewett, "Regularity and positional games" (1963).
    for (n, d) in [
        (2, 1),
        (2, 2),
        (3, 2),
        (3, 3),
        (4, 2),
        (4, 3),
        (2, 4),
        (3, 4),
        (4, 4),
        (5, 4),
    ] {
        let geometry = Geometry::new(Rules::new(&vec![n; d], n).unwrap());
        let n = usize::from(n);
        assert_eq!(
            geometry.board_line_count(),
            ((n + 2).pow(d as u32) - n.pow(d as u32)) / 2,
            "{n}^{d}"
        );
    }
}
