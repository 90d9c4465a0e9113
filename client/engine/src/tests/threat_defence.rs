//! Defence against a VCF that the opponent threatens.

use super::with_search;
use crate::alpha_beta::search::{PROVEN, WIN};

/// The opponent threatens a VCF that only quiet moves prevent.
pub(crate) const QUIET_DEFENCES: &[&str] = &[
    "e4 d5 k11 d9 i7 d11 k4 d12 d8 e11 h7 f11",
    "i7 l4 j4 l5 i5 l6",
    "d9 l7 d12 j9 i7 k5 e11 j8 i9 j10 j7 k8",
    "j4 i9 h6 l4 d4 f7 k7 f8 l9 f6 f9 g7",
    "e6 l4 k4 d6 l5 k5 j6 e5 j3",
    "h5 h6 i8 j11 h11 g9 g6 j9 f7",
    "l12 j10 k11 j4 k6 g8 l6 f6 j12 g7 h8 g6",
    "j4 h11 i12 g6 g11 k4 d10 f7 f10 h5 e8 h7 e9 j3 i4",
];

#[test]
fn a_quiet_move_prevents_a_vcf() {
    for moves in QUIET_DEFENCES {
        with_search("15x15:5", moves, |search| {
            // Also in a null window that no evaluation reaches, beyond the depth of futility pruning.
            let high = search.board.evaluate() + 20_000;
            for (depth, alpha, beta) in [(1, -WIN, WIN), (4, high, high + 1)] {
                let value = search.alpha_beta(depth, alpha, beta, 0);
                assert!(value.abs() < PROVEN, "{value}: {moves}");
            }
        });
    }
}

/// A deep VCF search after every move finds the same defences.
#[test]
fn the_cells_of_a_threat_contain_every_defence() {
    for moves in QUIET_DEFENCES {
        with_search("15x15:5", moves, |search| {
            let (win, cells) = search.find_threat().expect("a threat");
            assert!(win.plies >= 3, "{win:?}: {moves}");
            let (seat, open) = (search.board.turn(), search.board.open);
            let mut defences = 0;
            for cell in open.intersection(&open, search.board.tables.words) {
                search.board.play(cell);
                let prevents = search.find_vcf(12, 100_000).is_none() && !search.is_vcf_exhausted();
                search.board.undo();
                assert!(!prevents || cells.contains(cell), "{cell}: {moves}");
                assert!(
                    !prevents || !search.board.is_threat(seat, cell),
                    "{cell}: {moves}"
                );
                defences += u32::from(prevents);
            }
            assert!(defences > 0, "{moves}");
            // The search for the threat leaves the board as it was.
            assert_eq!((search.board.turn(), search.board.open), (seat, open));
        });
    }
}

/// An open three of the opponent far from all other stones leaves its line only.
#[test]
fn an_open_three_is_met_on_its_line() {
    with_search("15x15:5", "h8 a1 i8 a15 j8", |search| {
        let (win, cells) = search.find_threat().expect("a threat");
        let row = 7 * 15;
        let columns: Vec<u16> = cells
            .intersection(&cells, 4)
            .map(|cell| cell - row)
            .collect();
        assert_eq!(win.plies, 3);
        assert!(
            columns.iter().all(|column| (5..=11).contains(column)) && columns.len() <= 4,
            "{columns:?}"
        );
    });
}
