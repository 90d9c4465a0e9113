//! Review of a finished game: the value of each move, and the move that lost the game.

use std::time::Duration;

use noughts_protocol::{Cell, Outcome, Position, Record, Rules, Seat, Status};
use serde::{Serialize, Serializer};

use super::{
    CanonicalPosition, ReviewProgress, StopAndClock, compare_scores, is_proven, search,
    terminal_score,
};
use crate::engine::{Evaluation, SearchLimits, SearchScore, claims_win};
use crate::facts::json_members::JsonEvaluation;

/// Factor of the search time for confirming a change of the value: that the position before a losing move was not
/// already lost, that the better move does not lose, and that a win is gone.
const CONFIRMATION_TIME_FACTOR: u32 = 4;
/// Maximum number of cells of a board where only proven wins count. On larger boards few wins are proven.
const MAX_UNCLAIMED_CELLS: usize = 64;
/// Estimate that replaces an unproven win on a board of at most [`MAX_UNCLAIMED_CELLS`] cells.
const UNCLAIMED_POINTS: i32 = 10_000;
/// Points that stand for a found win when it is compared with an estimate.
const WIN_POINTS: i32 = 100_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameReview {
    pub rules: Rules,
    /// All moves, in the order of play.
    pub moves: Vec<ReviewedMove>,
    /// The winner, also after a resignation or a loss on time.
    pub winner: Option<Seat>,
}

impl Serialize for GameReview {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Members {
            seat: Seat,
            cell: String,
            before: JsonEvaluation,
            after: JsonEvaluation,
            best: String,
            cost: MoveLoss,
        }
        let moves = self.moves.iter().map(|reviewed| Members {
            seat: reviewed.seat,
            cell: self.rules.cell_text(reviewed.cell),
            before: reviewed.score_before.into(),
            after: reviewed.score_after.into(),
            best: self.rules.cell_text(reviewed.best_cell),
            cost: reviewed.loss(),
        });
        serializer.collect_map([("moves", moves.collect::<Vec<_>>())])
    }
}

/// A move with the values before and after it, from the mover's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReviewedMove {
    pub seat: Seat,
    pub cell: Cell,
    /// Value of the position before the move.
    pub score_before: SearchScore,
    /// Value after the move.
    pub score_after: SearchScore,
    /// Best move found.
    pub best_cell: Cell,
}

/// What a move lost compared with the best move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MoveLoss {
    /// No loss was found.
    None,
    /// The win comes this many plies later, or the loss this many plies sooner.
    Plies(#[serde(skip)] u32),
    /// Difference of two estimates, or of a win and an estimate: the move may keep the win.
    Points(#[serde(skip)] u32),
    /// A forced win was missed: the value after the move is proven.
    Win,
    /// The search found no forced loss before the move, and a forced loss after it. [`ReviewedMove::is_proven`] tells
    /// whether the position was not lost before.
    Game,
}

impl ReviewedMove {
    /// Returns what the move lost.
    pub fn loss(&self) -> MoveLoss {
        let scores = [self.score_before, self.score_after];
        if self.cell == self.best_cell && !self.is_proven() {
            // The two searches disagree about the same move.
            return MoveLoss::None;
        }
        match scores.map(|score| found_win(score.evaluation)) {
            [Some(true), Some(true)] | [Some(false), Some(false)] => self.lost_plies(),
            [Some(true) | None, Some(false)] => MoveLoss::Game,
            [Some(true), None] if self.is_proven() => MoveLoss::Win,
            [Some(false), Some(true) | None] | [None, Some(true)] => MoveLoss::None,
            [Some(true) | None, None] => {
                let [best, value] = scores.map(|score| points(score.evaluation));
                if value < best {
                    MoveLoss::Points(best.abs_diff(value))
                } else {
                    MoveLoss::None
                }
            }
        }
    }

    /// Returns whether the values before and after the move are proven.
    pub fn is_proven(&self) -> bool {
        is_proven(self.score_before) && is_proven(self.score_after)
    }

    /// Returns whether the mover had a forced win before the move.
    pub fn was_won(&self) -> bool {
        found_win(self.score_before.evaluation) == Some(true)
    }

    /// Compares the distances of two wins or two losses. Between two bounds, the shorter distance is not known.
    fn lost_plies(&self) -> MoveLoss {
        let is_exact = self.score_before.exact && self.score_after.exact;
        match (self.score_before.evaluation, self.score_after.evaluation) {
            (Evaluation::Win(best), Evaluation::Win(plies))
            | (Evaluation::Loss(plies), Evaluation::Loss(best))
                if plies > best && is_exact =>
            {
                MoveLoss::Plies(plies - best)
            }
            (
                Evaluation::Win(_)
                | Evaluation::Loss(_)
                | Evaluation::Draw
                | Evaluation::Estimate(_),
                _,
            ) => MoveLoss::None,
        }
    }
}

/// Returns `true` for a win and `false` for a loss. Returns `None` if neither is proven or found by a selective search.
fn found_win(evaluation: Evaluation) -> Option<bool> {
    match evaluation {
        Evaluation::Win(_) => Some(true),
        Evaluation::Loss(_) => Some(false),
        Evaluation::Estimate(estimate) => claims_win(estimate),
        Evaluation::Draw => None,
    }
}

/// Returns the points of an estimate; 0 for a draw.
fn points(evaluation: Evaluation) -> i32 {
    match evaluation {
        Evaluation::Estimate(estimate) => estimate,
        Evaluation::Draw => 0,
        Evaluation::Win(_) => WIN_POINTS,
        Evaluation::Loss(_) => -WIN_POINTS,
    }
}

impl GameReview {
    /// Returns the index of the move that decided the game: the loser's mistake, if it is the last mistake of the game
    /// and gave the opponent a forced win. The winner's moves do not count. The result is proven if the position before
    /// the move is solved; otherwise it is as reliable as the search.
    pub fn losing_move(&self) -> Option<usize> {
        let (number, reviewed) = self
            .mistakes()
            .map(|number| (number, &self.moves[number - 1]))
            .rfind(|(_, reviewed)| self.winner != Some(reviewed.seat))?;
        (reviewed.loss() == MoveLoss::Game).then_some(number - 1)
    }

    /// Returns one-based numbers of the moves that gave the opponent a forced win, or threw away a forced win.
    pub fn mistakes(&self) -> impl DoubleEndedIterator<Item = usize> {
        let is_mistake =
            |reviewed: &ReviewedMove| matches!(reviewed.loss(), MoveLoss::Game | MoveLoss::Win);
        let moves = self.moves.iter().enumerate();
        moves
            .filter(move |(_, reviewed)| is_mistake(reviewed))
            .map(|(index, _)| index + 1)
    }

    /// Returns the numbers of this side's mistakes, or without a side, of both sides' mistakes.
    pub fn mistakes_of(&self, seat: Option<Seat>) -> Vec<usize> {
        self.mistakes()
            .filter(|number| seat.is_none_or(|seat| self.moves[number - 1].seat == seat))
            .collect()
    }
}

/// Evaluates the moves of a record. `time` is divided among the moves.
///
/// The review proceeds from the last move to the first, because late positions are solved fastest, and reports each
/// move. Returns `None` if the review was stopped.
pub(crate) fn review_game(
    record: &Record,
    time: Duration,
    stop_and_clock: StopAndClock<'_>,
    report: &dyn Fn(ReviewProgress),
) -> Option<GameReview> {
    let mut position = Position::new(record.rules);
    for &cell in &record.moves {
        if position.play(cell).is_err() {
            break;
        }
    }
    let all = position.ply();
    let winner_on_board = match position.status() {
        Status::Won(winner) => Some(winner),
        Status::Ongoing | Status::Drawn => None,
    };
    let mut moves = Vec::new();
    // Value of the position for the side to move. The value of a finished position comes from `terminal_score`.
    let mut position_score = match position.status() {
        Status::Ongoing => {
            // There is one more position than there are moves.
            let positions = u32::try_from(position.ply() + 1).unwrap_or(u32::MAX);
            evaluate_position(&position, time / positions, stop_and_clock).map(|(score, _)| score)
        }
        Status::Drawn | Status::Won(_) => None,
    };
    while let Some(&cell) = position.moves().last() {
        let (status, plies) = (position.status(), position.ply());
        position.undo();
        let seat = position.turn();
        let remaining = || time.saturating_sub((stop_and_clock.elapsed)());
        let share = remaining() / u32::try_from(plies).unwrap_or(u32::MAX);
        let after = terminal_score(status, seat).or(position_score.map(SearchScore::before_move));
        let mut after = after?;
        let (mut best_score, mut best) = evaluate_position(&position, share, stop_and_clock)?;
        let confirm = |position: &Position| {
            let time = (share * CONFIRMATION_TIME_FACTOR).min(remaining() / 2);
            evaluate_position(position, time, stop_and_clock)
        };
        if let (Evaluation::Estimate(_), Evaluation::Loss(_)) =
            (best_score.evaluation, after.evaluation)
            && let Some(confirmed) = confirm(&position)
        {
            (best_score, best) = confirmed;
        }
        if best != cell && found_win(after.evaluation) != Some(true) {
            if found_win(best_score.evaluation) == Some(true) && !is_proven(after) {
                // The move may keep the win: the first search of the position after it was too short to find out.
                let mut next = position.clone();
                next.play(cell).ok()?;
                if let Some((score, reply)) = confirm(&next)
                    && is_proven(score)
                {
                    after = score.before_move();
                    if let Some(next) = moves.last_mut() {
                        let next: &mut ReviewedMove = next;
                        (next.score_before, next.best_cell) = (score, reply);
                    }
                }
            } else if found_win(after.evaluation) == Some(false) && !is_proven(best_score) {
                // If every move loses, the move that seemed better is not better.
                let mut next = position.clone();
                if next.play(best).ok()? == Status::Ongoing
                    && confirm(&next)
                        .is_some_and(|(score, _)| found_win(score.evaluation) == Some(true))
                {
                    best = cell;
                }
            }
        }
        if compare_scores(after, best_score).is_gt() {
            // The continuation of the game proved more than the search of the position did.
            (best_score, best) = (after, cell);
        }
        let canonical = CanonicalPosition::new(&position);
        let representative = |cell| canonical.representative(canonical.image(cell));
        if representative(best) == representative(cell) {
            // A symmetric image of the move is not a better move.
            best = cell;
        }
        moves.push(ReviewedMove {
            seat,
            cell,
            score_before: best_score,
            score_after: after,
            best_cell: best,
        });
        position_score = Some(best_score);
        report(ReviewProgress {
            done: moves.len(),
            all,
        });
        if stop_and_clock
            .stop
            .load(std::sync::atomic::Ordering::Relaxed)
        {
            return None;
        }
    }
    moves.reverse();
    carry_proofs_forward(&mut moves);
    Some(GameReview {
        rules: record.rules,
        moves,
        winner: record
            .outcome
            .as_ref()
            .map_or(winner_on_board, Outcome::winner),
    })
}

/// Carries proven values to the following positions: a proven win or draw also holds after the best move, and a proven
/// loss after every move. The search of the next position may not have found the proof. Then the search does not know
/// which moves keep the win, so such a win is compared only with proven values.
fn carry_proofs_forward(moves: &mut [ReviewedMove]) {
    let mut proven_before: Option<SearchScore> = None;
    for reviewed in moves {
        let is_own_proof = is_proven(reviewed.score_before);
        if let Some(score) = proven_before
            && !is_own_proof
            && (matches!(score.evaluation, Evaluation::Loss(_)) || is_proven(reviewed.score_after))
        {
            reviewed.score_before = score;
        }
        let (before, is_best) = (reviewed.score_before, reviewed.cell == reviewed.best_cell);
        let is_kept = match before.evaluation {
            Evaluation::Loss(_) => true,
            Evaluation::Win(_) | Evaluation::Draw => is_own_proof && is_best,
            Evaluation::Estimate(_) => false,
        };
        if is_kept && !is_proven(reviewed.score_after) {
            reviewed.score_after = SearchScore {
                // The distance is exact only for the best move, because another move may lose sooner.
                exact: before.exact && is_own_proof && is_best,
                ..before
            };
        }
        proven_before = is_proven(reviewed.score_after).then(|| reviewed.score_after.after_move());
    }
}

/// Searches a position for `time`. Returns its value for the side to move, and the best move. On a board that the
/// solver can prove, a win that a short selective search claims is only a high estimate.
fn evaluate_position(
    position: &Position,
    time: Duration,
    stop_and_clock: StopAndClock<'_>,
) -> Option<(SearchScore, Cell)> {
    let deadline = (stop_and_clock.elapsed)() + time;
    let report = search(position, SearchLimits::default(), deadline, stop_and_clock)?;
    let mut score = report.search_score();
    if position.rules().cells() <= MAX_UNCLAIMED_CELLS
        && let Evaluation::Estimate(estimate) = score.evaluation
        && claims_win(estimate).is_some()
    {
        score.evaluation = Evaluation::Estimate(estimate.signum() * UNCLAIMED_POINTS);
    }
    Some((score, report.best))
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::HashMap;
    use std::sync::atomic::AtomicBool;

    use noughts_protocol::rng::split_mix64;

    use super::*;
    use crate::engines::tests::position;

    /// More time than the analysis of a small board needs.
    pub(in super::super) const AMPLE_TIME: Duration = Duration::from_secs(60);

    /// Returns a clock that never advances, and a stop flag that is never set.
    pub(in super::super) fn frozen_clock() -> StopAndClock<'static> {
        static STOP: AtomicBool = AtomicBool::new(false);
        StopAndClock {
            elapsed: &|| Duration::ZERO,
            stop: &STOP,
        }
    }

    fn record(rules: &str, moves: &str) -> Record {
        let position = position(rules, moves);
        Record {
            rules: *position.rules(),
            control: None,
            players: ["Ann".to_owned(), "Bob".to_owned()],
            identities: [None; 2],
            moves: position.moves().to_vec(),
            outcome: position.outcome(),
        }
    }

    fn reviewed(rules: &str, moves: &str) -> GameReview {
        review_game(&record(rules, moves), AMPLE_TIME, frozen_clock(), &|_| {}).unwrap()
    }

    /// Runs a closure with a clock that advances by one millisecond at each reading.
    fn with_advancing_clock<T>(run: impl FnOnce(StopAndClock<'_>) -> T) -> T {
        let readings = std::cell::Cell::new(0);
        run(StopAndClock {
            elapsed: &|| {
                readings.set(readings.get() + 1);
                Duration::from_millis(readings.get())
            },
            ..frozen_clock()
        })
    }

    /// Reviews a game on a board that is too large for the search to solve.
    fn reviewed_within(time: Duration, rules: &str, moves: &str) -> GameReview {
        with_advancing_clock(|clock| review_game(&record(rules, moves), time, clock, &|_| {}))
            .unwrap()
    }

    #[test]
    fn the_loss_of_a_move_follows_from_its_scores() {
        use Evaluation::{Draw, Estimate, Loss, Win};
        for (before, after, expected) in [
            (Win(1), Win(1), MoveLoss::None),
            (Win(1), Win(5), MoveLoss::Plies(4)),
            (Loss(8), Loss(2), MoveLoss::Plies(6)),
            (Loss(2), Loss(2), MoveLoss::None),
            (Win(3), Draw, MoveLoss::Win),
            // The move may keep the win.
            (Win(3), Estimate(90), MoveLoss::Points(99_910)),
            (Win(3), Loss(2), MoveLoss::Game),
            (Draw, Loss(2), MoveLoss::Game),
            (Estimate(-5), Loss(2), MoveLoss::Game),
            (Estimate(5), Estimate(-7), MoveLoss::Points(12)),
            (Estimate(5), Estimate(5), MoveLoss::None),
            (Estimate(5), Draw, MoveLoss::Points(5)),
            (Estimate(-5), Draw, MoveLoss::None),
            (Draw, Estimate(-5), MoveLoss::Points(5)),
            (Draw, Draw, MoveLoss::None),
            // A selective search has found these wins and losses, but not proven them.
            (Win(3), Estimate(99_998), MoveLoss::None),
            (Estimate(99_990), Estimate(99_980), MoveLoss::None),
            (Estimate(99_990), Estimate(10), MoveLoss::Points(99_980)),
            (Estimate(99_990), Draw, MoveLoss::Points(99_990)),
            (Estimate(5), Estimate(-99_986), MoveLoss::Game),
            (Estimate(-99_986), Loss(4), MoveLoss::None),
            (Loss(4), Estimate(-99_986), MoveLoss::None),
        ] {
            let reviewed = ReviewedMove {
                seat: Seat::X,
                cell: Cell::new(0),
                score_before: SearchScore {
                    evaluation: before,
                    exact: true,
                },
                score_after: SearchScore {
                    evaluation: after,
                    exact: true,
                },
                best_cell: Cell::new(1),
            };
            assert_eq!(reviewed.loss(), expected, "{before} to {after}");
            let best = ReviewedMove {
                best_cell: reviewed.cell,
                ..reviewed
            };
            // Two proofs about the same move cannot disagree, unless later moves provided one of them.
            let is_proven = [reviewed.score_before, reviewed.score_after]
                .into_iter()
                .all(is_proven);
            let expected_of_best = if is_proven { expected } else { MoveLoss::None };
            assert_eq!(best.loss(), expected_of_best, "{before} to {after}");
            let bound = ReviewedMove {
                score_after: SearchScore {
                    evaluation: after,
                    exact: false,
                },
                ..reviewed
            };
            let is_distance = matches!(expected, MoveLoss::Plies(_));
            assert_eq!(
                bound.loss(),
                if is_distance {
                    MoveLoss::None
                } else {
                    expected
                },
                "{before} to {after}"
            );
        }
    }

    #[test]
    fn a_stopped_review_has_no_result() {
        let record = record("3x3:3", "b2 b1");
        let stop = AtomicBool::new(true);
        let stopped = StopAndClock {
            stop: &stop,
            ..frozen_clock()
        };
        assert_eq!(review_game(&record, AMPLE_TIME, stopped, &|_| {}), None);
    }

    #[test]
    fn a_proof_holds_for_the_moves_that_keep_it() {
        let moved = |seat, [cell, best]: [u16; 2], before, after| {
            let [score_before, score_after] = [before, after].map(|evaluation| SearchScore {
                evaluation,
                exact: false,
            });
            ReviewedMove {
                seat,
                cell: Cell::new(cell),
                score_before,
                score_after,
                best_cell: Cell::new(best),
            }
        };
        let (win, loss, estimate) = (
            Evaluation::Win(21),
            Evaluation::Loss(20),
            Evaluation::Estimate,
        );
        let mut moves = [
            // The best move keeps the win, but the searches of the next positions do not find it.
            moved(Seat::O, [0, 0], win, estimate(168)),
            moved(Seat::X, [1, 2], estimate(-168), loss),
            moved(Seat::O, [3, 3], Evaluation::Win(19), estimate(5)),
            moved(Seat::X, [4, 5], estimate(-5), estimate(-90)),
            moved(Seat::O, [6, 7], estimate(90), estimate(80)),
        ];
        carry_proofs_forward(&mut moves);
        let scores = moves.map(|moved| (moved.score_before.evaluation, moved.loss()));
        assert_eq!(
            scores,
            [
                (win, MoveLoss::None),
                (loss, MoveLoss::None),
                (Evaluation::Win(19), MoveLoss::None),
                (Evaluation::Loss(18), MoveLoss::None),
                // The search did not prove the win, so it does not know which moves keep it.
                (estimate(90), MoveLoss::Points(10)),
            ]
        );
    }

    #[test]
    fn the_win_of_an_open_four_is_no_missed_win() {
        let time = Duration::from_millis(500);
        let review = reviewed_within(time, "15x15:5", "h8 g9 i8 i9 j8 a1 k8 g8 l8");
        assert_eq!(
            review.moves[6].loss(),
            MoveLoss::None,
            "{:?}",
            review.moves[6]
        );
        assert!(
            review.losing_move().is_none_or(|index| index < 6),
            "{review:?}"
        );
    }

    #[test]
    fn the_last_position_of_a_resigned_game_has_its_share_of_the_time() {
        let (rules, moves, share) = ("15x15:5", "h8 i9 g9 g7", Duration::from_millis(100));
        let review = reviewed_within(5 * share, rules, moves);
        let position = position(rules, moves);
        let (score, _) =
            with_advancing_clock(|clock| evaluate_position(&position, share, clock)).unwrap();
        assert_eq!(review.moves[3].score_after, score.before_move());
    }

    #[test]
    fn a_perfect_game_has_no_losses() {
        let review = reviewed("3x3:3", "b2 a1 c3 c1 b1 b3 a3 a2 c2");
        assert_eq!(review.moves.len(), 9);
        assert!(
            review
                .moves
                .iter()
                .all(|reviewed| reviewed.loss() == MoveLoss::None),
            "{review:?}"
        );
        assert_eq!(review.losing_move(), None);
    }

    #[test]
    fn the_losing_move_is_found() {
        // The edge is a losing reply to the centre.
        let review = reviewed("3x3:3", "b2 b1 a1 c3 a2 a3 c2");
        assert_eq!(review.losing_move(), Some(1));
        let mistake = review.moves[1];
        assert_eq!(
            (mistake.score_before.evaluation, mistake.seat),
            (Evaluation::Draw, Seat::O),
            "the position is solved"
        );
        assert!(matches!(
            mistake.score_after.evaluation,
            Evaluation::Loss(_)
        ));
        let corners = ["a1", "c1", "a3", "c3"].map(|text| review.rules.parse_cell(text).unwrap());
        assert!(corners.contains(&mistake.best_cell), "{mistake:?}");
    }

    #[test]
    fn a_missed_win_can_be_the_losing_move_of_a_lost_game() {
        // X misses a3, and O completes its own column.
        let review = reviewed("3x3:3", "a1 b1 a2 b2 c1 b3");
        let missed = review.moves[4];
        assert_eq!(
            (
                missed.score_before.evaluation,
                missed.score_after.evaluation,
                missed.loss()
            ),
            (Evaluation::Win(1), Evaluation::Loss(2), MoveLoss::Game)
        );
        assert_eq!(missed.best_cell, review.rules.parse_cell("a3").unwrap());
        assert_eq!(review.losing_move(), Some(4), "the last mistake decides");
        assert_eq!(review.mistakes_of(Some(Seat::O)), [2]);
        // X has not lost, so its mistake is not the losing move.
        let resigned = GameReview {
            winner: Some(Seat::X),
            ..review
        };
        assert_eq!(resigned.losing_move(), Some(1));
    }

    /// In this game, move 4 keeps the win, and the position before move 7 is lost for X.
    #[test]
    fn no_better_move_is_named_where_the_win_is_kept_or_every_move_loses() {
        let moves = "a1 d1 g1 c1 b1 d2 f1 d3 c2 d4";
        for millis in [200, 1_000] {
            let time = Duration::from_millis(millis);
            let review = reviewed_within(time, "7x6:4+gravity", moves);
            assert_ne!(review.moves[3].loss(), MoveLoss::Win, "{review:?}");
            let lost = review.moves[6];
            assert!(
                lost.loss() != MoveLoss::Game || !lost.is_proven(),
                "{lost:?}"
            );
        }
    }

    /// Panics if a proven loss of a review contradicts `value`, which returns the value of the position after the given
    /// moves for the side to move, or `None` if the value is not known.
    fn assert_true(
        record: &Record,
        review: &GameReview,
        value: impl Fn(&Position) -> Option<i32>,
    ) -> usize {
        let (mut position, mut judged) = (Position::new(record.rules), 0);
        for reviewed in &review.moves {
            let before = value(&position);
            position.play(reviewed.cell).unwrap();
            let after = value(&position).map(|value| -value);
            let (Some(before), Some(after)) = (before, after) else {
                continue;
            };
            let is_true = match (reviewed.loss(), reviewed.is_proven()) {
                (MoveLoss::Win, _) => before > 0 && after <= 0,
                (MoveLoss::Game, true) => before >= 0 && after < 0,
                // The text says only that the opponent wins after the move.
                (MoveLoss::Game, false) => after < 0,
                (MoveLoss::None | MoveLoss::Plies(_) | MoveLoss::Points(_), _) => continue,
            };
            assert!(is_true, "{before} {after} {reviewed:?} {position:?}");
            judged += 1;
        }
        judged
    }

    /// Returns the value of a position for the side to move by exhaustive search.
    fn exhaustive(position: &Position, known: &mut HashMap<Vec<Option<Seat>>, i32>) -> i32 {
        match position.status() {
            Status::Drawn => return 0,
            Status::Won(seat) => return if seat == position.turn() { 1 } else { -1 },
            Status::Ongoing => {}
        }
        let cells = 0..position.rules().cells();
        let key: Vec<Option<Seat>> = cells
            .map(|index| position.stone_at(Cell::new(index as u16)))
            .collect();
        if let Some(&value) = known.get(&key) {
            return value;
        }
        let mut best = -1;
        for cell in position.legal_moves() {
            let mut next = position.clone();
            next.play(cell).unwrap();
            best = best.max(-exhaustive(&next, known));
            if best == 1 {
                break;
            }
        }
        known.insert(key, best);
        best
    }

    /// Random games, reviewed in so little time that most values are estimates.
    #[test]
    fn every_sentence_of_a_short_review_is_true() {
        let mut judged = 0;
        for (rules, empty_cells) in [
            ("3x3:3", 9),
            ("3x3:3+misere", 9),
            ("4x3:3", 12),
            ("4x4:3", 9),
            ("5x4:4", 9),
            ("4x4:3+gravity", 12),
            ("7x6:4+gravity", 11),
        ] {
            let mut known = HashMap::new();
            for seed in 0..12 {
                let (mut game, mut random) = (Position::new(rules.parse().unwrap()), seed);
                while game.status() == Status::Ongoing {
                    random = split_mix64(random);
                    let cell = game
                        .legal_nth(random as usize % game.legal_count())
                        .unwrap();
                    game.play(cell).unwrap();
                }
                let record = Record {
                    moves: game.moves().to_vec(),
                    outcome: game.outcome(),
                    ..record(rules, "")
                };
                let positions = u64::try_from(record.moves.len()).unwrap();
                for millis in [1, 4, 12] {
                    let time = Duration::from_millis(millis * positions);
                    let review =
                        with_advancing_clock(|clock| review_game(&record, time, clock, &|_| {}))
                            .unwrap();
                    let known = std::cell::RefCell::new(&mut known);
                    judged += assert_true(&record, &review, |position| {
                        let left = position.rules().cells() - position.ply();
                        (left <= empty_cells).then(|| exhaustive(position, &mut known.borrow_mut()))
                    });
                }
            }
        }
        assert!(judged > 60, "{judged}");
    }

    #[test]
    fn completing_a_line_in_misere_loses() {
        let review = reviewed("3x3:3+misere", "b2 a1 c3 c1 a3 c2 b1 b3");
        let last = *review.moves.last().unwrap();
        assert!(
            review.moves.len() == 8 && last.seat == Seat::O,
            "{review:?}"
        );
        let lost = reviewed("4x1:2+misere", "a1 c1 b1");
        assert_eq!(lost.moves[2].score_after.evaluation, Evaluation::Loss(1));
    }
}
