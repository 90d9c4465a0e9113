use super::*;
use crate::engine::Level;
use crate::input::command_arguments::ScanTarget;
use noughts_protocol::Offer;
use noughts_protocol::wire::Claim;

fn rules(text: &str) -> Rules {
    text.parse().unwrap()
}

fn check(board: &str, text: &str, expected: Result<TextCommand, TextCommandError>) {
    assert_eq!(
        parse(text, Some(&rules(board)), DigitOrder::Reading),
        expected,
        "{text:?} on {board}"
    );
}

#[test]
fn cells_are_moves() {
    let cell = |number| Ok(TextCommand::Move(Cell::new(number)));
    check("3x3:3", "b2", cell(4));
    check("3x3:3", "5", cell(4));
    check("3x3:3", "2 2", cell(4));
    check("15x15:5", " H8 ", cell(112));
    check("15x15:5", "8 8", cell(112));
    check("4x4x4:4", "c2-1", cell(6));
    check("7x6:4+gravity", "4", cell(3));
    check("7x6:4+gravity", "d6", cell(3));
    check("3x3:3", "1 3", cell(2));
    check("15x15:5", "h1", cell(217));
    check("4x4x4:4", "c2-1", cell(6));
    check("3x3x3x3:3", "a1-2.3", cell(63));
    check("9:3", "7", cell(6));
}

#[test]
fn invalid_cells_have_reasons() {
    let invalid = |error| Err(TextCommandError::BadCell(error));
    check("3x3:3", "d9", invalid(CellError::OffBoard));
    check("4x4x4:4", "3,2", invalid(CellError::Syntax));
    check("4x4x4:4", "c2", invalid(CellError::Dimensions));
    check("15x15:5", "8", invalid(CellError::Syntax));
    check("3x3:3", "-1", invalid(CellError::Syntax));
    check("3x3:3", "hello", Err(TextCommandError::UnknownCommand));
    check("3x3:3", "", Err(TextCommandError::Empty));
    check(
        "3x3:3",
        &"x".repeat(300),
        Err(TextCommandError::UnknownCommand),
    );
    assert_eq!(
        parse("b2", None, DigitOrder::Reading),
        Err(TextCommandError::NoBoard)
    );
}

#[test]
fn words_are_commands() {
    let scan = |target| Ok(TextCommand::Scan(target));
    let word = |text, command| check("3x3:3", text, Ok(command));
    word("b", TextCommand::Board);
    check("15x15:5", "s 8", scan(ScanTarget::Row(7, [0, 0])));
    check("15x15:5", "s 1", scan(ScanTarget::Row(14, [0, 0])));
    check("15x15:5", "s h", scan(ScanTarget::Column(7, [0, 0])));
    check("4x4x4:4", "s 2,3", scan(ScanTarget::Row(1, [2, 0])));
    word("DRAW", TextCommand::Offer(Offer::Draw));
    word("accept undo", TextCommand::Accept(Some(Offer::Takeback)));
    word("no", TextCommand::Decline(None));
    word("bot hard", TextCommand::InviteBot(Some(Level::Hard)));
    word("claim win", TextCommand::Claim(Claim::Win));
    word("save a b.txt", TextCommand::Save("a b.txt".to_owned()));
}

#[test]
fn an_invalid_argument_reports_the_command_word() {
    for text in [
        "s 9",
        "s",
        "s 2,1",
        "claim",
        "claim all",
        "bot brutal",
        "b 2",
        "save",
    ] {
        let result = parse(text, Some(&rules("3x3:3")), DigitOrder::Reading);
        assert!(
            matches!(result, Err(TextCommandError::BadArgument(_))),
            "{text}: {result:?}"
        );
    }
}

#[test]
fn leave_has_names_in_all_languages() {
    for text in ["q", "quit", "в", "й", "В", "выход", "退出", " Quit "] {
        check("3x3:3", text, Ok(TextCommand::Leave));
    }
}

#[test]
fn commands_typed_in_the_russian_layout_are_accepted() {
    check("15x15:5", "р8", Ok(TextCommand::Move(Cell::new(112))));
    check("3x3:3", "вкфц", Ok(TextCommand::Offer(Offer::Draw)));
}

#[test]
fn digits_cover_small_boards_in_either_order() {
    let all = |board: &str, order| -> Vec<Option<u8>> {
        let rules = rules(board);
        (0..rules.cells() as u16)
            .map(|cell| cell_digit(&rules, order, Cell::new(cell)))
            .collect()
    };
    assert_eq!(
        all("3x3:3", DigitOrder::Reading),
        (1..=9).map(Some).collect::<Vec<_>>()
    );
    assert_eq!(
        all("3x3:3", DigitOrder::Numpad),
        [7, 8, 9, 4, 5, 6, 1, 2, 3].map(Some)
    );
    assert_eq!(all("2x2:2", DigitOrder::Numpad), [1, 2, 3, 4].map(Some));
    assert_eq!(all("4x3:3", DigitOrder::Reading), vec![None; 12]);
    assert_eq!(
        all("3x2:2+gravity", DigitOrder::Reading),
        [1, 2, 3, 1, 2, 3].map(Some)
    );
}
