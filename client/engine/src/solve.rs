//! The truth about a position of a small board: who wins, and how fast. Boards that fit into one word are
//! searched by shifts of whole boards, a tenth of a microsecond each; see [`grid`].

mod bits;
mod forecast;
mod grid;
mod hold;
mod negamax;
mod winner;

use noughts_protocol::{Geometry, Position, Rules};

use super::meter::Meter;
use super::table::Table;
use bits::{Bits, Layout, Padded, Square};
pub(super) use forecast::{is_small, part_for};
use grid::{Grid, State};
pub(super) use hold::Hold;
use negamax::Glance;
pub(super) use winner::Winner;

/// What is known of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Truth {
    /// Plies until the win, below zero until the loss; 0 is a draw. In a win the most that it takes, in a loss
    /// the least that it takes.
    pub(super) plies: i32,
    /// Nothing is shorter, or longer.
    pub(super) exact: bool,
    /// The moves that are known to keep it; at least one.
    pub(super) moves: Vec<u16>,
    /// What both sides are expected to play, beginning with the first of them.
    pub(super) line: Vec<u16>,
}

/// What is asked of a position.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asked {
    /// Every move that keeps the truth, where that costs next to nothing.
    pub(super) widely: bool,
    /// It is known already that the side to move does not win: no win is looked for.
    pub(super) held: bool,
}

/// With so few positions looked at, all moves that keep the truth are looked for and not only one.
const CHEAP: u64 = 50_000;
/// The places of the largest table, as a power of two.
const MOST_BITS: u32 = 22;
const EXPECTED_LINE: usize = 16;

/// Solves a position within the limits of the meter. `None` when they did not suffice, and on boards that do
/// not fit into a word. The side to move must have no line to complete at once.
pub(super) fn solve(position: &Position, asked: Asked, meter: &mut Meter<'_>) -> Option<Truth> {
    let geometry = position.geometry();
    match layout(geometry) {
        Fit::Square(square) => Solver::new(square, geometry, meter).truth(position, asked),
        Fit::Padded(padded) => Solver::new(padded, geometry, meter).truth(position, asked),
        Fit::None => None,
    }
}

enum Fit {
    Square(Square),
    Padded(Padded),
    None,
}

/// How the board fits into a word.
fn layout(geometry: &Geometry) -> Fit {
    let rules = geometry.rules();
    let (width, height) = (rules.width(), rules.height());
    if rules.dimensions() == 2 && width.min(height) < 8 && width.max(height) <= 8 {
        return Fit::Square(Square { across: width == 8 });
    }
    let mut axes = [1, 0, 0, 0];
    let mut size = 1;
    for (axis, &side) in rules.sides().iter().enumerate() {
        axes[axis] = size;
        size *= u32::from(side) + 1;
    }
    // Nothing lies behind the last cell, so that the last rows of free cells may be missing.
    if size > u128::SIZE + axes[rules.dimensions() - 1] {
        return Fit::None;
    }
    let step =
        |steps: &[i8]| steps.iter().zip(axes).map(|(&step, axis)| i32::from(step) * axis as i32).sum::<i32>();
    // Where no line has room, the shifts could be more than the word has bits.
    let has_room = |steps: &[i8]| {
        steps.iter().zip(rules.sides()).all(|(&step, &side)| step == 0 || side >= rules.line())
    };
    let directions = geometry.directions().iter().map(|direction| direction.steps());
    let steps = directions.filter(|steps| has_room(steps)).map(|steps| step(steps).unsigned_abs());
    Fit::Padded(Padded { steps: steps.collect(), axes })
}

/// All that a solution has at hand.
struct Solver<'m, 'a, L: Layout> {
    grid: Grid<L>,
    table: Table,
    /// The table grows to 2^this places of 16 bytes.
    most_bits: u32,
    hold: Hold,
    /// The moves of all plies under way, one after the other, each with how likely it is to be good.
    moves: Vec<(i32, L::Word)>,
    meter: &'m mut Meter<'a>,
    /// Cells of the board.
    total: i32,
}

impl<'m, 'a, L: Layout> Solver<'m, 'a, L> {
    fn new(layout: L, geometry: &Geometry, meter: &'m mut Meter<'a>) -> Self {
        let total = geometry.rules().cells() as i32;
        Solver {
            grid: Grid::new(layout, geometry),
            table: Table::new(8),
            most_bits: MOST_BITS,
            hold: Hold::default(),
            moves: Vec::with_capacity(512),
            meter,
            total,
        }
    }

    fn truth(&mut self, position: &Position, asked: Asked) -> Option<Truth> {
        let state = self.grid.state(position);
        let mut root: Vec<L::Word> = self.root_moves(&state);
        let left = self.total - state.ply as i32;
        let (mut least, mut most) = (1 - left, if asked.held { 0 } else { left });
        let free = is_free(&self.grid.rules);
        if free && state.ply == 0 && !self.grid.rules.exact() {
            // A stone more never harms: the second side has nothing that the first could not have as well.
            least = 0;
        }
        while least < most {
            // First whether it is a win or a loss at all, then how fast.
            let mut middle = least + (most - least) / 2;
            if free && least <= 0 && most > 0 {
                // A quick win is found before a slow one is looked for.
                middle = if most == left { most / 2 } else { 0 };
            } else if middle <= 0 && least / 2 < middle {
                middle = least / 2;
            } else if middle >= 0 && most / 2 > middle {
                middle = most / 2;
            }
            let value = self.look(&state, &mut root, middle);
            if self.meter.halted {
                break;
            }
            if value <= middle { most = value } else { least = value }
        }
        let value = if least > 0 || least == most {
            least
        } else if most < 0 {
            most
        } else {
            return None;
        };
        let plies = if value == 0 { 0 } else { (left + 1 - value.abs()) * value.signum() };
        let exact = least == most;
        let line = self.expected_line(state, root[0]);
        let mut keeping = 1;
        if asked.widely && exact && self.meter.nodes <= CHEAP {
            for place in 1..root.len() {
                if self.keeps(&state, root[place], value) {
                    root.swap(keeping, place);
                    keeping += 1;
                }
            }
        }
        let moves = root[..keeping].iter().map(|stone| self.grid.cell(stone.first())).collect();
        Some(Truth { plies, exact, moves, line })
    }

    /// What is remembered as best, from this move on.
    fn expected_line(&self, mut state: State<L::Word>, mut stone: L::Word) -> Vec<u16> {
        let mut line = Vec::new();
        loop {
            line.push(self.grid.cell(stone.first()));
            let over = (self.grid.completing(state.mover) & stone).any();
            state = self.grid.play(state, stone);
            if over || state.open.is_none() || line.len() == EXPECTED_LINE {
                return line;
            }
            let wins = self.grid.completing(state.mover) & state.open;
            let next = match self.glance(&state) {
                _ if wins.any() && !self.grid.rules.misere() => wins,
                Glance::Moves(moves) if moves.rest().is_none() => moves,
                Glance::Moves(_) => match self.table.get(self.grid.key(&state)) {
                    Some(found) => L::Word::one(u32::from(found.best)) & state.open,
                    None => L::Word::NONE,
                },
                Glance::Value(_) if self.grid.rules.misere() => state.open,
                Glance::Value(_) => self.grid.completing(state.other) & state.open,
            };
            if next.is_none() {
                return line;
            }
            stone = L::Word::one(next.first());
        }
    }
}

fn is_free(rules: &Rules) -> bool {
    !rules.gravity() && !rules.misere()
}
