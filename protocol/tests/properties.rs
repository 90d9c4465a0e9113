//! Properties of all rules and games: the fast board agrees with a naive board, rejected moves change
//! nothing, undo restores the state, and every text round-trips.
//!
//! More cases: `PROPTEST_CASES=10000 cargo test -p noughts-protocol --test properties`

mod naive_board;

use naive_board::NaiveBoard;
use noughts_protocol::outcome::Verdict;
use noughts_protocol::{
    Cell, Identity, Outcome, Position, Record, RuleFlag, Rules, Seat, Status, WinningLine,
};
use proptest::prelude::*;

/// Generates rules of one to four dimensions with any flags, small enough to be played out.
fn any_rules() -> impl Strategy<Value = Rules> {
    let sides = prop_oneof![
        prop::collection::vec(1..=25_u8, 1),
        prop::collection::vec(1..=8_u8, 2),
        prop::collection::vec(1..=5_u8, 3),
        prop::collection::vec(1..=3_u8, 4),
    ];
    let flags = prop::sample::subsequence(RuleFlag::ALL, 0..=RuleFlag::ALL.len());
    (sides, any::<prop::sample::Index>(), flags).prop_map(|(sides, line, flags)| {
        let longest = usize::from(*sides.iter().max().unwrap());
        let plain = Rules::new(&sides, 1 + line.index(longest) as u8).unwrap();
        // A flag that does not go with the board is left out.
        flags
            .into_iter()
            .fold(plain, |rules, flag| rules.with(flag).unwrap_or(rules))
    })
}

/// Generates rules and steps; each step has a requested cell, and an index into the legal moves to play.
fn random_game() -> impl Strategy<Value = (Rules, Vec<(u16, prop::sample::Index)>)> {
    let step = (
        prop_oneof![4 => 0..150_u16, 1 => any::<u16>()],
        any::<prop::sample::Index>(),
    );
    (any_rules(), prop::collection::vec(step, 0..70))
}

/// Plays legal moves until the steps or the moves run out.
fn play_random_moves(rules: Rules, steps: &[(u16, prop::sample::Index)]) -> Position {
    let mut position = Position::new(rules);
    for (_, choice) in steps {
        let moves: Vec<Cell> = position.legal_moves().collect();
        if moves.is_empty() {
            break;
        }
        position.play(*choice.get(&moves)).unwrap();
    }
    position
}

/// Returns all observable state of a position.
fn visible_state(position: &Position) -> impl PartialEq + std::fmt::Debug + use<> {
    let cells = (0..position.rules().cells() as u16).map(Cell::new);
    let stones: Vec<Option<Seat>> = cells.map(|cell| position.stone_at(cell)).collect();
    let legal: Vec<Cell> = position.legal_moves().collect();
    assert_eq!(legal.len(), position.legal_count());
    (
        (stones, legal, position.moves().to_vec()),
        (
            position.turn(),
            position.ply(),
            position.status(),
            position.outcome(),
            position.key(),
        ),
    )
}

/// Compares the fast board with the naive board, and the result of one requested cell.
fn check_against_naive(position: &Position, naive: &NaiveBoard, requested: Cell) {
    assert_eq!(position.status(), naive.status(), "{position:?}");
    let legal: Vec<usize> = position.legal_moves().map(Cell::index).collect();
    assert_eq!(legal, naive.legal_moves(), "{position:?}");
    for cell in (0..position.rules().cells() as u16 + 3).map(Cell::new) {
        assert_eq!(position.stone_at(cell), naive.stone_at(cell.index()));
        assert_eq!(position.is_legal(cell), legal.contains(&cell.index()));
    }
    assert_eq!(
        position.landing_cell(requested).ok().map(Cell::index),
        naive.landing_cell(requested.index())
    );
    let mut tried = position.clone();
    let predicted = position.status_after(requested);
    let result = tried.play(requested);
    assert_eq!(predicted, result, "status_after agrees with play");
    match result {
        Ok(_) => {
            assert_eq!(
                tried.moves().last().map(|cell| cell.index()),
                naive.landing_cell(requested.index())
            );
            assert_eq!(
                tried.undo().map(Cell::index),
                naive.landing_cell(requested.index())
            );
        }
        Err(error) => assert_eq!(position.landing_cell(requested), Err(error)),
    }
    assert_eq!(&tried, position);
    assert_eq!(
        visible_state(&tried),
        visible_state(position),
        "a rejected or undone move changes nothing"
    );
}

/// Checks a winning line against the definition: straight, complete, of one seat, and through the last move.
fn check_line(position: &Position, winner: Seat, line: &WinningLine) {
    let (rules, k) = (position.rules(), usize::from(position.rules().line()));
    let owner = if rules.misere() {
        winner.other()
    } else {
        winner
    };
    assert!(
        line.cells
            .iter()
            .all(|&cell| position.stone_at(cell) == Some(owner))
    );
    assert!(line.cells.contains(position.moves().last().unwrap()));
    assert!(if rules.exact() {
        line.cells.len() == k
    } else {
        line.cells.len() >= k
    });
    assert_eq!(line.first, line.cells[0]);
    assert!(line.cells.is_sorted() || rules.torus());

    let neighbour = |cell: Cell, sign| position.geometry().neighbour(cell, line.direction, sign);
    for pair in line.cells.windows(2) {
        assert_eq!(neighbour(pair[0], 1), Some(pair[1]));
    }
    let last = *line.cells.last().unwrap();
    if k > 1 && neighbour(last, 1) == Some(line.first) {
        assert_eq!(
            line.cells.iter().min(),
            Some(&line.first),
            "a line without ends"
        );
    } else if k > 1 {
        for end in [neighbour(line.first, -1), neighbour(last, 1)] {
            assert_ne!(
                end.and_then(|cell| position.stone_at(cell)),
                Some(owner),
                "the run continues past its end"
            );
        }
    }
}

proptest! {
    #[test]
    fn fast_board_matches_naive_board((rules, steps) in random_game()) {
        let mut position = Position::new(rules);
        let mut naive = NaiveBoard::new(rules);
        for (requested, choice) in steps {
            check_against_naive(&position, &naive, Cell::new(requested));
            let moves: Vec<Cell> = position.legal_moves().collect();
            if moves.is_empty() {
                break;
            }
            let cell = *choice.get(&moves);
            prop_assert_eq!(position.play(cell).map(Some), Ok(Some(position.status())));
            naive.play(cell.index());
        }
        check_against_naive(&position, &naive, Cell::new(0));
    }

    #[test]
    fn undo_restores_each_state((rules, steps) in random_game()) {
        let last = play_random_moves(rules, &steps);
        let mut position = Position::new(rules);
        let mut states = vec![visible_state(&position)];
        for &cell in last.moves() {
            position.play(cell).unwrap();
            states.push(visible_state(&position));
        }
        while let Some(state) = states.pop() {
            prop_assert_eq!(visible_state(&position), state);
            prop_assert_eq!(position.undo().is_some(), !states.is_empty());
        }
    }

    #[test]
    fn undone_board_equals_fresh_board((rules, steps) in random_game()) {
        let mut used = play_random_moves(rules, &steps);
        while used.undo().is_some() {}
        let mut fresh = Position::new(rules);
        for (_, choice) in steps.iter().rev() {
            let moves: Vec<Cell> = fresh.legal_moves().collect();
            if moves.is_empty() {
                break;
            }
            let cell = *choice.get(&moves);
            prop_assert_eq!(used.play(cell), fresh.play(cell));
            prop_assert_eq!(visible_state(&used), visible_state(&fresh));
        }
    }

    #[test]
    fn keys_are_independent_of_move_order((rules, steps) in random_game()) {
        let position = play_random_moves(rules, &steps);
        // Plays the same stones with the moves of each seat in a different order, if every move is legal in that order.
        let mut reordered = Position::new(rules);
        let (mut x, mut o): (Vec<Cell>, Vec<Cell>) = (Vec::new(), Vec::new());
        for (ply, &cell) in position.moves().iter().enumerate() {
            if ply % 2 == 0 { x.push(cell) } else { o.push(cell) }
        }
        let mut next = [x, o];
        while let Some(cell) = next[reordered.turn().index()].pop() {
            if !reordered.is_legal(cell) {
                return Ok(());
            }
            reordered.play(cell).unwrap();
        }
        if reordered.ply() == position.ply() {
            prop_assert_eq!(reordered.key(), position.key());
            prop_assert_eq!(reordered, position);
        }
    }

    #[test]
    fn winning_lines_are_valid((rules, steps) in random_game()) {
        let position = play_random_moves(rules, &steps);
        let outcome = position.outcome();
        match (position.status(), &outcome) {
            (Status::Ongoing, None) | (Status::Drawn, Some(Outcome::Full)) => {}
            (Status::Won(seat), Some(Outcome::Line { winner, line })) => {
                prop_assert_eq!(seat, *winner);
                check_line(&position, *winner, line);
            }
            (status, outcome) => prop_assert!(false, "{:?} and {:?}", status, outcome),
        }
        if let Some(outcome) = outcome {
            let json = serde_json::to_string(&outcome).unwrap();
            prop_assert_eq!(serde_json::from_str::<Outcome>(&json).unwrap(), outcome);
        }
    }

    #[test]
    fn symmetries_preserve_the_status((rules, steps) in random_game(), choice in any::<prop::sample::Index>()) {
        let position = play_random_moves(rules, &steps);
        let symmetries = position.geometry().symmetries();
        let symmetry = choice.get(&symmetries);
        let mut mirrored = Position::new(rules);
        for &cell in position.moves() {
            let to = symmetry[cell.index()];
            prop_assert!(mirrored.is_legal(to));
            mirrored.play(to).unwrap();
        }
        prop_assert_eq!(mirrored.status(), position.status());
    }

    #[test]
    fn rules_and_cells_round_trip(rules in any_rules(), index in any::<prop::sample::Index>()) {
        let text = rules.to_string();
        prop_assert_eq!(text.parse(), Ok(rules));
        prop_assert_eq!(text.to_ascii_uppercase().parse(), Ok(rules));
        prop_assert_eq!(serde_json::from_value::<Rules>(serde_json::to_value(rules).unwrap()).unwrap(), rules);

        let cell = Cell::new(index.index(rules.cells()) as u16);
        prop_assert_eq!(rules.parse_cell(&rules.cell_text(cell)), Ok(cell));
        let padded = format!("  {} ", rules.cell_text(cell).to_uppercase());
        prop_assert_eq!(rules.parse_cell(&padded), Ok(cell));
    }

    #[test]
    fn records_round_trip(
        (rules, steps) in random_game(),
        players in any::<[String; 2]>(),
        identities in any::<[Option<[u8; 16]>; 2]>(),
        clock in prop::option::of((1..10_800_u32, 0..180_u32)),
        end in 0..10_usize,
    ) {
        let position = play_random_moves(rules, &steps);
        let ends = ["X resignation", "O resignation", "X time", "O time", "draw agreement", "X abandonment",
            "O abandonment", "draw abandonment"];
        let verdict: Option<Verdict> = ends.get(end).map(|text| text.parse().unwrap());
        let record = Record {
            rules,
            control: clock.map(|(base, increment)| noughts_protocol::TimeControl::new(base, increment).unwrap()),
            players,
            identities: identities.map(|bytes| bytes.map(Identity::from_bytes)),
            moves: position.moves().to_vec(),
            outcome: position.outcome().or(verdict.and_then(Verdict::outcome)),
        };
        let text = record.to_string();
        prop_assert_eq!(text.parse::<Record>(), Ok(record.clone()));
        prop_assert_eq!(record.replay().unwrap(), position);
        prop_assert!(text.lines().skip_while(|line| line.starts_with('[')).all(|line| line.len() <= 78));
    }

    #[test]
    fn parsers_accept_plausible_text_without_panic(
        text in r#"[0-9a-eXOx:+ ,."\\\n\[\]{}*-]{0,60}|[0-9]{1,3}(x[0-9]{1,3}){0,4}:[0-9]{1,3}(\+[a-z]{0,7}){0,3}"#,
        rules in any_rules(),
    ) {
        parse_with_all(&text, rules);
    }
}

/// Gives a text to all parsers; accepted text must round-trip.
fn parse_with_all(text: &str, rules: Rules) {
    if let Ok(rules) = text.parse::<Rules>() {
        assert_eq!(rules.to_string().parse(), Ok(rules));
    }
    if let Ok(cell) = rules.parse_cell(text) {
        assert_eq!(rules.parse_cell(&rules.cell_text(cell)), Ok(cell));
    }
    if let Ok(verdict) = text.parse::<Verdict>() {
        assert_eq!(verdict.to_string().parse(), Ok(verdict));
    }
    if let Ok(seat) = text.parse::<Seat>() {
        assert_eq!(seat.to_string().parse(), Ok(seat));
    }
    if let Ok(record) = text.parse::<Record>() {
        assert_eq!(record.to_string().parse(), Ok(record));
    }
    if let Ok(outcome) = serde_json::from_str::<Outcome>(text) {
        assert!(serde_json::to_string(&outcome).is_ok());
    }
}
