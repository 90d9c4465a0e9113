use super::*;

#[test]
fn every_cell_is_visible_and_clickable() {
    for (text, columns, rows) in [
        ("3x3:3", 20, 8),
        ("3x3:3", 120, 60),
        ("7x6:4+gravity", 60, 20),
        ("15x15:5", 30, 7),
        ("15x15:5", 110, 50),
        ("25x25:5", 28, 6),
        ("19x19:5", 60, 20),
        ("4x4x4:4", 30, 8),
        ("4x4x4:4", 70, 12),
        ("10x10x10:5", 30, 8),
        ("3x3x3x3:3", 28, 9),
        ("3x3x3x3:3", 160, 50),
        ("4x4x4x16:4", 40, 12),
        ("25:5", 28, 3),
    ] {
        let rules: Rules = text.parse().unwrap();
        for cell_size in CellSize::choices(&rules) {
            let area = Rect::new(1, 2, columns, rows);
            // Large cells are only used for whole boards.
            let is_small = cell_size == CellSize::WIDE || cell_size == CellSize::TIGHT;
            if !is_small && !Layout::fits(&rules, cell_size, (columns, rows)) {
                continue;
            }
            for cell in (0..rules.cells() as u16).map(Cell::new) {
                let layout = Layout::new(rules, cell_size, area, cell);
                assert!(
                    layout.is_visible(cell),
                    "{text} {cell_size:?} {}",
                    rules.cell_text(cell)
                );
                let at = rules.coordinates(cell).unwrap();
                let slice = layout
                    .slices()
                    .find(|slice| (slice.z, slice.w) == (at[2], at[3]))
                    .unwrap();
                let (x, y) = layout.mark_position(
                    slice,
                    u16::from(at[0]) - layout.columns.first,
                    u16::from(at[1]) - layout.rows.first,
                );
                assert_eq!(layout.cell_at(x, y), Some(cell), "{text} {cell_size:?}");
                assert!(
                    x < 1 + columns && y < 2 + rows,
                    "{text} {cell_size:?} {x},{y}"
                );
                if layout.hidden_parts().is_some() {
                    assert!(
                        y < layout.counts_row().y,
                        "{text} {cell_size:?} {x},{y}: no row for the counts"
                    );
                }
            }
        }
    }
}

#[test]
fn clicks_on_all_columns_of_a_large_cell_hit_it() {
    let rules: Rules = "3x3:3".parse().unwrap();
    let size = CellSize {
        columns: 11,
        rows: 5,
        grid: GridStyle::Boxes,
    };
    let layout = Layout::new(rules, size, Rect::new(0, 0, 60, 20), Cell::new(0));
    let slice = layout.slices().next().unwrap();
    let hits: Vec<Option<u16>> = (0..14)
        .map(|x| {
            layout
                .cell_at(slice.x + x, slice.y + 1)
                .map(|cell| cell.index() as u16)
        })
        .collect();
    assert_eq!(hits[0], None, "the frame is a cell");
    assert!(hits[1..12].iter().all(|hit| *hit == Some(0)), "{hits:?}");
    assert_eq!(hits[12..], [None, Some(1)]);
}

#[test]
fn visible_range_keeps_margin_and_rarely_moves() {
    let mut moves = 0;
    let mut last = VisibleRange::centered_on(0, 10, 25);
    for at in 0..25 {
        let range = VisibleRange::centered_on(at, 10, 25);
        assert!(range.contains(at));
        let margin = (at - range.first).min(range.first + 9 - at);
        assert!(
            margin >= 2 || range.first == 0 || range.first == 15,
            "{at} in {range:?}"
        );
        moves += u32::from(range != last);
        last = range;
    }
    assert!(moves <= 4, "{moves}");
}

#[test]
fn layers_are_distributed_evenly() {
    let rules: Rules = "6x6x6:4".parse().unwrap();
    assert_eq!(Layout::best_fit(&rules, CellSize::WIDE, 70).0, 3);
    let rules: Rules = "4x4x4:4".parse().unwrap();
    let boxes = CellSize {
        columns: 3,
        rows: 1,
        grid: GridStyle::Boxes,
    };
    assert_eq!(Layout::best_fit(&rules, boxes, 83), (4, (83, 10)));
    assert_eq!(Layout::best_fit(&rules, boxes, 54), (2, (41, 20)));
}

#[test]
fn a_board_that_fits_is_centred() {
    let rules: Rules = "3x3:3".parse().unwrap();
    let size = CellSize {
        columns: 7,
        rows: 3,
        grid: GridStyle::Boxes,
    };
    let layout = Layout::new(rules, size, Rect::new(10, 2, 47, 24), Cell::new(0));
    let slice = layout.slices().next().unwrap();
    // 25 columns and 13 rows, because digits in the cells make rulers unnecessary.
    assert_eq!((slice.x, slice.y), (10 + 11, 2 + 5));
}
