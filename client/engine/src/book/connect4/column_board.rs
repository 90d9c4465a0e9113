//! Board of Connect Four by columns, with a key that is the same for mirror images and from which the board can be restored.

/// Columns of the board.
pub const WIDTH: usize = 7;
/// Cells of a column.
const HEIGHT: usize = 6;
/// Bits of a column: its cells from the bottom, and a free bit, so that no line wraps around an edge.
const COLUMN_BITS: usize = HEIGHT + 1;
const COLUMN: u64 = (1 << COLUMN_BITS) - 1;
/// The lowest cell of every column.
const BOTTOM: u64 = {
    let (mut cells, mut column) = (0, 0);
    while column < WIDTH {
        cells |= 1 << (COLUMN_BITS * column);
        column += 1;
    }
    cells
};

/// The stones from the view of the side to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnBoard {
    /// Stones of the side to move.
    mover: u64,
    /// Stones of both sides.
    stones: u64,
}

impl ColumnBoard {
    /// The board of a key.
    pub fn from_key(key: u64) -> ColumnBoard {
        let mut board = ColumnBoard::default();
        for column in 0..WIDTH {
            let shift = COLUMN_BITS * column;
            let bits = key >> shift & COLUMN;
            let height = bits.checked_ilog2().unwrap_or(0);
            board.mover |= (bits & !(1 << height)) << shift;
            board.stones |= ((1 << height) - 1) << shift;
        }
        board
    }

    /// The key, and whether it is the key of the mirror image. In each column the key has the stones of the side to move
    /// and a bit above the highest stone.
    pub fn key(&self) -> (u64, bool) {
        let (key, image) = (self.plain_key(), self.mirrored().plain_key());
        (key.min(image), image < key)
    }

    fn plain_key(&self) -> u64 {
        self.mover + self.stones + BOTTOM
    }

    pub(super) fn mirrored(&self) -> ColumnBoard {
        let mirror = |cells: u64| {
            (0..WIDTH).fold(0, |image, column| {
                image
                    | (cells >> (COLUMN_BITS * column) & COLUMN)
                        << (COLUMN_BITS * (WIDTH - 1 - column))
            })
        };
        ColumnBoard {
            mover: mirror(self.mover),
            stones: mirror(self.stones),
        }
    }

    /// The lowest free cell of a column; 0 if the column is full.
    fn landing_cell(&self, column: usize) -> u64 {
        let bottom = 1 << (COLUMN_BITS * column);
        (self.stones + bottom) & ((1 << HEIGHT) - 1) << (COLUMN_BITS * column)
    }

    /// The columns that are not full.
    pub fn open_columns(self) -> impl Iterator<Item = usize> {
        (0..WIDTH).filter(move |&column| self.landing_cell(column) != 0)
    }

    /// The board after a stone in a column that is not full.
    pub fn play(&self, column: usize) -> ColumnBoard {
        ColumnBoard {
            mover: self.mover ^ self.stones,
            stones: self.stones | self.landing_cell(column),
        }
    }

    /// Whether the side to move can complete a line with its next stone.
    pub fn can_complete_line(&self) -> bool {
        self.open_columns()
            .any(|column| has_line(self.mover | self.landing_cell(column)))
    }
}

fn has_line(stones: u64) -> bool {
    [1, COLUMN_BITS - 1, COLUMN_BITS, COLUMN_BITS + 1]
        .iter()
        .any(|step| {
            let pairs = stones & stones >> step;
            pairs & pairs >> (2 * step) != 0
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(columns: &[usize]) -> ColumnBoard {
        columns
            .iter()
            .fold(ColumnBoard::default(), |board, &column| board.play(column))
    }

    #[test]
    fn keys_restore_boards_up_to_mirror() {
        let moves = [3, 3, 2, 4, 4, 4, 0, 6, 6];
        let image = moves.map(|column| WIDTH - 1 - column);
        assert_eq!(board(&moves).key().0, board(&image).key().0);
        assert_ne!(board(&moves).key().1, board(&image).key().1);
        let restored = ColumnBoard::from_key(board(&moves).key().0);
        assert!([board(&moves), board(&image)].contains(&restored));
        assert_eq!(ColumnBoard::from_key(board(&[]).key().0), board(&[]));
    }

    #[test]
    fn lines_and_full_columns_are_seen() {
        for moves in [[0, 6, 1, 6, 2, 5], [4, 3, 4, 2, 4, 2]] {
            assert!(board(&moves).can_complete_line(), "{moves:?}");
        }
        let diagonal = [0, 1, 1, 2, 2, 3, 2, 3, 3, 6];
        assert!(board(&diagonal).can_complete_line());
        assert!(!board(&diagonal[..8]).can_complete_line());
        // A line does not continue from the top of a column at the bottom of the next.
        assert!(has_line(0b11_1100) && !has_line(0b1_0011_1000));
        assert!(board(&[5; 6]).open_columns().eq([0, 1, 2, 3, 4, 6]));
    }
}
