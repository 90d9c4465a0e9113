//! What must hold for every rules of the family and every game: the fast board agrees with a naive
//! one, what is refused changes nothing, what is undone never was, and every text is read back.
//!
//! More games: `PROPTEST_CASES=10000 cargo test -p noughts-protocol --test laws`

mod naive_board;

use naive_board::Naive;
use noughts_protocol::outcome::Verdict;
use noughts_protocol::{Cell, Outcome, Position, Record, Rules, Seat, Status, WinningLine};
use proptest::prelude::*;

/// Rules of one to four dimensions with any flags, small enough to be played out.
fn rules() -> impl Strategy<Value = Rules> {
    let sides = prop_oneof![
        prop::collection::vec(1..=25_u8, 1),
        prop::collection::vec(1..=8_u8, 2),
        prop::collection::vec(1..=5_u8, 3),
        prop::collection::vec(1..=3_u8, 4),
    ];
    (sides, any::<prop::sample::Index>(), any::<[bool; 3]>()).prop_map(
        |(sides, line, [gravity, misere, exact])| {
            let longest = usize::from(*sides.iter().max().unwrap());
            let mut rules = Rules::new(&sides, 1 + line.index(longest) as u8).unwrap();
            if gravity && sides.len() > 1 {
                rules = rules.with_gravity().unwrap();
            }
            if misere {
                rules = rules.with_misere();
            }
            if exact {
                rules = rules.with_exact();
            }
            rules
        },
    )
}

/// A game: each number asks for any cell first, and then plays one of the legal moves.
fn game() -> impl Strategy<Value = (Rules, Vec<(u16, prop::sample::Index)>)> {
    let step = (prop_oneof![4 => 0..150_u16, 1 => any::<u16>()], any::<prop::sample::Index>());
    (rules(), prop::collection::vec(step, 0..70))
}

/// Plays legal moves until they or the board run out.
fn played(rules: Rules, steps: &[(u16, prop::sample::Index)]) -> Position {
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

/// All that can be seen of a position, to be compared whole.
fn seen(position: &Position) -> impl PartialEq + std::fmt::Debug + use<> {
    let cells = (0..position.rules().cells() as u16).map(Cell::new);
    let stones: Vec<Option<Seat>> = cells.map(|cell| position.stone_at(cell)).collect();
    let legal: Vec<Cell> = position.legal_moves().collect();
    assert_eq!(legal.len(), position.legal_count());
    (
        (stones, legal, position.moves().to_vec()),
        (position.turn(), position.ply(), position.status(), position.outcome(), position.key()),
    )
}

/// Holds the fast board against the naive one, and one cell that a player may ask for.
fn check(position: &Position, naive: &Naive, asked: Cell) {
    assert_eq!(position.status(), naive.status(), "{position:?}");
    let legal: Vec<usize> = position.legal_moves().map(Cell::index).collect();
    assert_eq!(legal, naive.legal_moves(), "{position:?}");
    for cell in (0..position.rules().cells() as u16 + 3).map(Cell::new) {
        assert_eq!(position.stone_at(cell), naive.stone_at(cell.index()));
        assert_eq!(position.is_legal(cell), legal.contains(&cell.index()));
    }
    assert_eq!(position.landing_cell(asked).ok().map(Cell::index), naive.landing_cell(asked.index()));
    let mut tried = position.clone();
    let judged = position.status_after(asked);
    let played = tried.play(asked);
    assert_eq!(judged, played, "judging a move says what playing it does");
    match played {
        Ok(_) => {
            assert_eq!(tried.moves().last().map(|cell| cell.index()), naive.landing_cell(asked.index()));
            assert_eq!(tried.undo().map(Cell::index), naive.landing_cell(asked.index()));
        }
        Err(error) => assert_eq!(position.landing_cell(asked), Err(error)),
    }
    assert_eq!(&tried, position);
    assert_eq!(seen(&tried), seen(position), "a move that is refused or undone leaves no trace");
}

/// Holds a line against the definition: straight, of one seat, whole, and just completed.
fn check_line(position: &Position, winner: Seat, line: &WinningLine) {
    let (rules, k) = (position.rules(), usize::from(position.rules().line()));
    let owner = if rules.misere() { winner.other() } else { winner };
    assert!(line.cells.iter().all(|&cell| position.stone_at(cell) == Some(owner)));
    assert!(line.cells.contains(position.moves().last().unwrap()));
    assert!(if rules.exact() { line.cells.len() == k } else { line.cells.len() >= k });
    assert_eq!(line.first, line.cells[0]);
    assert!(line.cells.is_sorted());

    let geometry = position.geometry();
    let beside = |cell: Cell, sign: i8| {
        let at = geometry.coordinates(cell);
        let steps = line.direction.steps().iter().map(|step| step * sign);
        let next: Option<Vec<u8>> =
            at.iter().zip(steps).map(|(at, step)| at.checked_add_signed(step)).collect();
        geometry.cell_at(&next?)
    };
    for pair in line.cells.windows(2) {
        assert_eq!(beside(pair[0], 1), Some(pair[1]));
    }
    if k > 1 {
        for end in [beside(line.first, -1), beside(*line.cells.last().unwrap(), 1)] {
            assert_ne!(end.and_then(|cell| position.stone_at(cell)), Some(owner), "the run goes on");
        }
    }
}

proptest! {
    #[test]
    fn the_fast_board_is_the_naive_one((rules, steps) in game()) {
        let mut position = Position::new(rules);
        let mut naive = Naive::new(rules);
        for (asked, choice) in steps {
            check(&position, &naive, Cell::new(asked));
            let moves: Vec<Cell> = position.legal_moves().collect();
            if moves.is_empty() {
                break;
            }
            let cell = *choice.get(&moves);
            prop_assert_eq!(position.play(cell).map(Some), Ok(Some(position.status())));
            naive.play(cell.index());
        }
        check(&position, &naive, Cell::new(0));
    }

    #[test]
    fn undo_goes_back_the_way_play_came((rules, steps) in game()) {
        let last = played(rules, &steps);
        let mut position = Position::new(rules);
        let mut states = vec![seen(&position)];
        for &cell in last.moves() {
            position.play(cell).unwrap();
            states.push(seen(&position));
        }
        while let Some(state) = states.pop() {
            prop_assert_eq!(seen(&position), state);
            prop_assert_eq!(position.undo().is_some(), !states.is_empty());
        }
    }

    #[test]
    fn a_board_played_before_is_as_good_as_new((rules, steps) in game()) {
        let mut used = played(rules, &steps);
        while used.undo().is_some() {}
        let mut fresh = Position::new(rules);
        for (_, choice) in steps.iter().rev() {
            let moves: Vec<Cell> = fresh.legal_moves().collect();
            if moves.is_empty() {
                break;
            }
            let cell = *choice.get(&moves);
            prop_assert_eq!(used.play(cell), fresh.play(cell));
            prop_assert_eq!(seen(&used), seen(&fresh));
        }
    }

    #[test]
    fn keys_do_not_depend_on_the_order_of_moves((rules, steps) in game()) {
        let position = played(rules, &steps);
        // The same stones, each seat's in another order, where no line and no column is in the way.
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
    fn a_line_is_a_line((rules, steps) in game()) {
        let position = played(rules, &steps);
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
    fn symmetries_keep_the_game((rules, steps) in game(), choice in any::<prop::sample::Index>()) {
        let position = played(rules, &steps);
        let symmetries = position.geometry().symmetries();
        let symmetry = choice.get(&symmetries);
        let mut image = Position::new(rules);
        for &cell in position.moves() {
            let to = symmetry[cell.index()];
            prop_assert!(image.is_legal(to));
            image.play(to).unwrap();
        }
        prop_assert_eq!(image.status(), position.status());
    }

    #[test]
    fn rules_and_cells_are_read_back(rules in rules(), index in any::<prop::sample::Index>()) {
        let text = rules.to_string();
        prop_assert_eq!(text.parse(), Ok(rules));
        prop_assert_eq!(text.to_ascii_uppercase().parse(), Ok(rules));
        prop_assert_eq!(serde_json::from_value::<Rules>(serde_json::to_value(rules).unwrap()).unwrap(), rules);

        let cell = Cell::new(index.index(rules.cells()) as u16);
        prop_assert_eq!(rules.parse_cell(&rules.cell_text(cell)), Ok(cell));
        let at = rules.coordinates(cell).unwrap();
        let numbers: Vec<String> = at[..rules.dimensions()].iter().map(|along| (along + 1).to_string()).collect();
        for text in [numbers.join(" "), numbers.join(","), format!("  {} ", numbers.join(" , "))] {
            prop_assert_eq!(rules.parse_cell(&text), Ok(cell));
        }
    }

    #[test]
    fn records_are_read_back(
        (rules, steps) in game(),
        players in any::<[String; 2]>(),
        clock in prop::option::of((1..10_800_u32, 0..180_u32)),
        end in 0..10_usize,
    ) {
        let position = played(rules, &steps);
        let ends = ["X resignation", "O resignation", "X time", "O time", "draw agreement", "X abandonment",
            "O abandonment", "draw abandonment"];
        let verdict: Option<Verdict> = ends.get(end).map(|text| text.parse().unwrap());
        let record = Record {
            rules,
            control: clock.map(|(base, increment)| noughts_protocol::TimeControl::new(base, increment).unwrap()),
            players,
            moves: position.moves().to_vec(),
            outcome: position.outcome().or(verdict.and_then(Verdict::outcome)),
        };
        let text = record.to_string();
        prop_assert_eq!(text.parse::<Record>(), Ok(record.clone()));
        prop_assert_eq!(record.replay().unwrap(), position);
        prop_assert!(text.lines().skip_while(|line| line.starts_with('[')).all(|line| line.len() <= 78));
    }

    #[test]
    fn parsers_answer_anything(text in any::<String>(), rules in rules()) {
        try_all(&text, rules);
    }

    #[test]
    fn parsers_answer_what_looks_right(
        text in r#"[0-9a-eXOx:+ ,."\\\n\[\]{}*-]{0,60}|[0-9]{1,3}(x[0-9]{1,3}){0,4}:[0-9]{1,3}(\+[a-z]{0,7}){0,3}"#,
        rules in rules(),
    ) {
        try_all(&text, rules);
    }

    #[test]
    fn a_damaged_record_is_refused_or_consistent(
        (rules, steps) in game(),
        place in any::<prop::sample::Index>(),
        letter in any::<char>(),
    ) {
        let position = played(rules, &steps);
        let players = ["Ann \"A\"".to_owned(), "B\\b".to_owned()];
        let moves = position.moves().to_vec();
        let record = Record { rules, control: None, players, moves, outcome: position.outcome() };
        let mut letters: Vec<char> = record.to_string().chars().collect();
        let place = place.index(letters.len());
        letters[place] = letter;
        if let Ok(read) = letters.into_iter().collect::<String>().parse::<Record>() {
            prop_assert_eq!(read.to_string().parse::<Record>(), Ok(read.clone()));
            let finished = read.replay().unwrap().outcome();
            prop_assert!(finished.is_none() || finished == read.outcome);
        }
    }
}

/// Gives a text to every parser; what they accept, they write as something that they accept again.
fn try_all(text: &str, rules: Rules) {
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
