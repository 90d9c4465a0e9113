//! Pages of tiles: which of several boards are shown at the same time, and where.
//!
//! All tiles of a page are equally wide. A row of tiles is at least as high as its tallest board requires. The games
//! keep their order, unless they fit only if small boards are above large boards. A page has as many games as fit with
//! their whole boards. The other games are on further pages. A board that is larger than the screen has its own page.

use noughts_protocol::Rules;
use ratatui::layout::{Position, Rect};

use super::board_layout::{CellSize, Layout};
use crate::model::MAX_GAMES;

/// Minimum height of a tile's header: the name, the players in one row, and the status.
pub(crate) const MIN_HEADER_ROWS: u16 = 3;
/// Columns between tiles.
const TILE_GAP: u16 = 2;
/// Minimum width for readable players and clocks.
const MIN_TILE_COLUMNS: u16 = 24;
/// Height of a tile before its board arrives, with space for a text.
const MIN_TILE_ROWS: u16 = MIN_HEADER_ROWS + 3;

/// Games that are shown at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TilePage {
    /// Number of tiles side by side.
    across: usize,
    /// The index of each game and the area of its tile, row by row.
    tiles: Vec<(usize, Rect)>,
}

impl TilePage {
    pub(crate) fn tiles(&self) -> &[(usize, Rect)] {
        &self.tiles
    }

    fn contains(&self, game: usize) -> bool {
        self.games().any(|shown| shown == game)
    }

    pub(crate) fn games(&self) -> impl Iterator<Item = usize> {
        self.tiles.iter().map(|(game, _)| *game)
    }

    /// Returns the page that shows as many of these games as possible.
    fn fullest(boards: &[Option<Rules>], games: &[usize], body: Rect) -> TilePage {
        let most = games.len().min(MAX_GAMES);
        let pack = |(count, across)| TilePage::pack(boards, games, body, count, across);
        (1..=most)
            .rev()
            .flat_map(|count| across_counts(count).map(move |across| (count, across)))
            .find_map(pack)
            .unwrap_or_else(|| TilePage {
                across: 1,
                tiles: games
                    .first()
                    .map(|game| (*game, body))
                    .into_iter()
                    .collect(),
            })
    }

    /// Returns a page with `count` of these games and `across` tiles side by side, if they fit.
    fn pack(
        boards: &[Option<Rules>],
        games: &[usize],
        body: Rect,
        count: usize,
        across: usize,
    ) -> Option<TilePage> {
        let columns = u16::try_from(across).ok()?;
        let width = ((body.width + TILE_GAP) / columns).saturating_sub(TILE_GAP);
        if width < MIN_TILE_COLUMNS {
            return None;
        }
        let mut fitting: Vec<_> = games
            .iter()
            .filter_map(|&game| Some((tile_rows(boards[game].as_ref(), width)?, game)))
            .collect();
        fitting.sort_unstable();
        fitting.truncate(count);
        if fitting.len() < count {
            return None;
        }
        let by_height = fitting.clone();
        fitting.sort_unstable_by_key(|(_, game)| *game);
        [fitting, by_height].into_iter().find_map(|games| {
            let rows: Vec<_> = games.chunks(across).collect();
            let heights = rows
                .iter()
                .map(|row| row.iter().map(|(height, _)| *height).max());
            let heights: Vec<u16> = heights.collect::<Option<_>>()?;
            let spare = body.height.checked_sub(heights.iter().sum())?;
            let row_count = u16::try_from(rows.len()).ok()?;
            let (mut tiles, mut y) = (Vec::with_capacity(count), body.y);
            for ((row, height), number) in rows.into_iter().zip(heights).zip(0..) {
                let height = height + spare / row_count + u16::from(number < spare % row_count);
                for ((_, game), column) in row.iter().zip(0..) {
                    let x = body.x + column * (width + TILE_GAP);
                    tiles.push((*game, Rect::new(x, y, width, height)));
                }
                y += height;
            }
            Some(TilePage { across, tiles })
        })
    }
}

/// The pages of several games. Each game is on exactly one page.
#[derive(Clone, Debug)]
pub(crate) struct TilePages(Vec<TilePage>);

impl TilePages {
    /// Arranges boards in pages. `None` means that a board has not arrived.
    pub(crate) fn new(boards: &[Option<Rules>], body: Rect) -> TilePages {
        let (mut rest, mut pages): (Vec<usize>, _) = ((0..boards.len()).collect(), Vec::new());
        while !rest.is_empty() {
            let page = TilePage::fullest(boards, &rest, body);
            rest.retain(|game| !page.contains(*game));
            pages.push(page);
        }
        TilePages(pages)
    }

    /// Returns the games in the order of their tiles.
    pub(crate) fn games(&self) -> impl Iterator<Item = usize> {
        self.0.iter().flat_map(TilePage::games)
    }

    /// Returns the first page; `None` without games.
    pub(crate) fn first(&self) -> Option<&TilePage> {
        self.0.first()
    }

    /// Returns the page of a game.
    pub(crate) fn page_of(&self, game: usize) -> Option<&TilePage> {
        self.0.iter().find(|page| page.contains(game))
    }

    /// Returns the game at a position on the page that shows `focused`.
    pub(crate) fn game_at(&self, focused: usize, at: Position) -> Option<usize> {
        let mut tiles = self.page_of(focused)?.tiles.iter();
        tiles
            .find(|(_, area)| area.contains(at))
            .map(|(game, _)| *game)
    }

    /// Returns the game that is this number of tiles further to the right and down, if any.
    pub(crate) fn neighbor(&self, game: usize, right: i8, down: i8) -> Option<usize> {
        let across = isize::try_from(self.page_of(game)?.across).ok()?;
        let place = self.games().position(|shown| shown == game)?;
        let place = place.checked_add_signed(isize::from(right) + isize::from(down) * across)?;
        self.games().nth(place)
    }

    /// Returns the next or the previous game. The first game follows the last game.
    pub(crate) fn next(&self, game: usize, is_forward: bool) -> Option<usize> {
        let step = if is_forward { 1 } else { -1 };
        let end = |forward: bool| match forward {
            true => self.games().next(),
            false => self.games().last(),
        };
        self.neighbor(game, step, 0).or_else(|| end(is_forward))
    }
}

/// Returns how many tiles may be side by side on a page with `count` tiles, the squarest arrangement first.
fn across_counts(count: usize) -> impl Iterator<Item = usize> {
    let square = (1..=count)
        .find(|across| across * across >= count)
        .unwrap_or(1);
    std::iter::once(square).chain((1..=count).filter(move |across| *across != square))
}

/// Returns the minimum height of a tile of this width that shows the whole board; `None` if the board is wider.
fn tile_rows(board: Option<&Rules>, width: u16) -> Option<u16> {
    let Some(rules) = board else {
        return Some(MIN_TILE_ROWS);
    };
    let (_, (columns, rows)) = Layout::best_fit(rules, CellSize::TIGHT, width);
    (columns <= width).then_some(rows + MIN_HEADER_ROWS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::layout::Areas;

    /// Checks, for each page of these boards on a screen of this size, the number of tiles side by side and the number
    /// of all tiles.
    #[track_caller]
    fn check(size: (u16, u16), boards: &[&str], expected: &[(usize, usize)]) {
        let body = Areas::split(Rect::new(0, 0, size.0, size.1)).body;
        let boards: Vec<Option<Rules>> = boards.iter().map(|rules| rules.parse().ok()).collect();
        let pages = TilePages::new(&boards, body);
        let sizes: Vec<_> = pages
            .0
            .iter()
            .map(|page| (page.across, page.tiles.len()))
            .collect();
        assert_eq!(sizes, expected, "{boards:?} on {size:?}");
        let mut games: Vec<usize> = pages.games().collect();
        games.sort_unstable();
        assert_eq!(games, (0..boards.len()).collect::<Vec<_>>());
        for page in &pages.0 {
            for (number, (game, area)) in page.tiles.iter().enumerate() {
                assert_eq!(area.intersection(body), *area);
                let others = page.tiles[..number].iter();
                assert!(others.clone().all(|(_, other)| !other.intersects(*area)));
                let is_whole = boards[*game].is_none_or(|rules| {
                    let height = area.height - MIN_HEADER_ROWS;
                    Layout::fits(&rules, CellSize::TIGHT, (area.width, height))
                });
                assert!(is_whole || *area == body, "{game} in {area:?}");
            }
        }
    }

    #[test]
    fn as_many_games_as_fit_are_on_a_page() {
        check((80, 24), &["3x3:3", "3x3:3"], &[(2, 2)]);
        check((80, 24), &["connect4", "3x3:3", "connect4"], &[(2, 3)]);
        check((80, 24), &["connect4"; 4], &[(2, 4)]);
        check((80, 24), &["connect4"; 6], &[(3, 6)]);
        check((80, 24), &["gomoku", "gomoku"], &[(2, 2)]);
        check((80, 24), &["gomoku"; 4], &[(2, 2), (2, 2)]);
        check((120, 40), &["gomoku"; 4], &[(3, 3), (1, 1)]);
        check((40, 24), &["3x3:3", "3x3:3"], &[(1, 2)]);
        check((30, 10), &["3x3:3"; 6], &[(1, 1); 6]);
        check((40, 12), &["connect4"; 2], &[(1, 1); 2]);
    }

    #[test]
    fn games_of_different_sizes_share_a_page() {
        let six = [
            "gomoku", "19x19:5", "connect4", "3x3:3", "4x4x4:4", "connect4",
        ];
        check((80, 24), &six, &[(2, 3), (2, 2), (1, 1)]);
        check((120, 40), &six, &[(3, 5), (1, 1)]);
    }

    #[test]
    fn unknown_or_oversized_boards_do_not_shrink_others() {
        check((80, 24), &["unknown"; 4], &[(2, 4)]);
        check(
            (80, 24),
            &["19x19:5", "3x3:3", "3x3:3", "3x3:3"],
            &[(2, 3), (1, 1)],
        );
    }

    #[test]
    fn the_focus_moves_through_the_tiles_of_all_pages() {
        let body = Areas::split(Rect::new(0, 0, 80, 24)).body;
        let boards = ["gomoku", "3x3:3", "connect4", "3x3:3"].map(|rules| rules.parse().ok());
        let pages = TilePages::new(&boards, body);
        assert_eq!(pages.games().collect::<Vec<_>>(), [1, 2, 3, 0]);
        assert_eq!(pages.neighbor(1, 1, 0), Some(2));
        assert_eq!(pages.neighbor(1, 0, 1), Some(3));
        assert_eq!(
            (pages.neighbor(1, -1, 0), pages.neighbor(0, 1, 0)),
            (None, None)
        );
        assert_eq!(
            (pages.next(0, true), pages.next(1, false)),
            (Some(1), Some(0))
        );
        let (_, area) = pages.0[0].tiles[2];
        assert_eq!(pages.game_at(1, Position::new(area.x, area.y)), Some(3));
        assert_eq!(pages.game_at(0, Position::new(area.x, area.y)), Some(0));
    }
}
