//! Symmetries of positions, so that the values of a position and of its images under all symmetries of the board are equal.

use noughts_protocol::{Cell, Position};

/// The representative of a position among its images, and the way back.
#[derive(Debug)]
pub(super) struct CanonicalPosition {
    /// The image whose moves come first in the order of cells.
    pub(super) position: Position,
    /// By cell of the original, the cell of the image.
    to_image: Vec<Cell>,
    /// The symmetries that keep the stones of the image: by cell, the cell of its image.
    kept: Vec<Vec<Cell>>,
}

impl CanonicalPosition {
    pub(super) fn new(original: &Position) -> CanonicalPosition {
        let symmetries = original.geometry().symmetries();
        let image = |symmetry: &[Cell]| -> Vec<Cell> {
            original
                .moves()
                .iter()
                .map(|cell| symmetry[cell.index()])
                .collect()
        };
        let identity = || {
            (0..original.rules().cells())
                .map(|index| Cell::new(index as u16))
                .collect()
        };
        let to_image = symmetries
            .iter()
            .min_by_key(|symmetry| image(symmetry))
            .cloned();
        let to_image: Vec<Cell> = to_image.unwrap_or_else(identity);
        let mut position = Position::with_geometry(original.shared_geometry());
        for cell in image(&to_image) {
            position
                .play(cell)
                .expect("the image of a legal move is legal");
        }
        let is_kept = |symmetry: &Vec<Cell>| {
            let mut stones = position.moves().iter();
            stones.all(|&cell| position.stone_at(symmetry[cell.index()]) == position.stone_at(cell))
        };
        let kept = symmetries.into_iter().filter(is_kept).collect();
        CanonicalPosition {
            position,
            to_image,
            kept,
        }
    }

    /// The cell of the image for a cell of the original.
    pub(super) fn image(&self, cell: Cell) -> Cell {
        self.to_image[cell.index()]
    }

    /// The first of the cells of the image that are equivalent to this one.
    pub(super) fn representative(&self, cell: Cell) -> Cell {
        self.kept
            .iter()
            .map(|symmetry| symmetry[cell.index()])
            .min()
            .unwrap_or(cell)
    }
}
