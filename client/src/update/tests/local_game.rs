use super::*;
use crate::engine::{Evaluation, SearchResult};
use crate::engines::analysis::{AnalysisRequest, AnalysisResult};
use crate::engines::player_engine::BestMove;
use crate::engines::player_engine::child_process::EngineError;
use crate::facts::Notification;
use crate::input::Action;
use crate::io::io_error::LocalizableIoError;
use crate::model::Screen;
use crate::puzzle::{Puzzle, PuzzleState};

/// Completes the bot's search with this cell.
pub(super) fn finish_search(player: &mut TestPlayer, cell: u16) {
    let search_id = player.effects.iter().rev().find_map(|effect| {
        if let Effect::Search { search_id, .. } = effect {
            Some(*search_id)
        } else {
            None
        }
    });
    let report = SearchResult {
        best: Cell::new(cell),
        score: Evaluation::Draw,
        exact: true,
        depth: 1,
        nodes: 1,
        pv: vec![],
    };
    let choice = BestMove {
        cell: report.best,
        report: Some(report),
    };
    player.feed(Msg::SearchDone {
        search_id: search_id.unwrap(),
        result: Ok(choice),
    });
}

/// Starts the first puzzle of the file by these rules.
fn puzzle_player(rules: &str) -> TestPlayer {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    let is_wanted = |day: &u32| Puzzle::of_day(*day).rules.to_string() == rules;
    player.model.today = (0..100).find(is_wanted).unwrap();
    player.press(&[Key::Char('p')]);
    player
}

/// Plays a move of the main line, or another free cell.
fn play_in_puzzle(player: &mut TestPlayer, is_right: bool) {
    let view = player.view();
    let (position, puzzle) = (view.game.position(), &view.puzzle().unwrap().puzzle);
    let cell = position
        .legal_moves()
        .find(|cell| puzzle.is_right(position, *cell) == is_right)
        .unwrap();
    let digit = player.model.cell_name(position.rules(), cell);
    player.type_letters(&digit);
}

#[test]
fn a_puzzle_refuses_wrong_moves_and_replies_to_right_ones() {
    let mut player = puzzle_player("3x3:3");
    let (before, moves) = (player.ply(), player.view().puzzle().unwrap().task().moves);
    play_in_puzzle(&mut player, false);
    assert_eq!(player.ply(), before);
    assert!(matches!(
        player.model.notification,
        Some(Notification::PuzzleMistake { moves: left }) if left == moves
    ));
    // Neither an offer nor a rematch is possible.
    player.type_letters("=t");
    assert_eq!(player.ply(), before);
    for _ in 1..moves {
        play_in_puzzle(&mut player, true);
        player.advance(1000);
    }
    play_in_puzzle(&mut player, true);
    assert_eq!(
        (phase(&player), player.ply()),
        (Phase::Over, before + 2 * moves - 1)
    );
    let progress = player.model.last_choices.puzzle.unwrap();
    assert_eq!(
        (progress.mistakes, progress.state, progress.streak),
        (1, PuzzleState::Solved, 1)
    );
    assert!(matches!(
        &player.model.notification,
        Some(Notification::PuzzleOver(result)) if result.solved
    ));
    assert!(
        !player
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::KeepGame(_)))
    );
    assert!(!player.model.after_game_actions().contains(&Action::Rematch));
    player.advance(2000);
    player.type_letters("y");
    let Some(Effect::Copy(line)) = player
        .effects
        .iter()
        .rfind(|effect| matches!(effect, Effect::Copy(_)))
    else {
        panic!("{:?}", player.effects);
    };
    assert!(line.ends_with("win in 2. Solved with 2 tries."), "{line}");
    // Later on the same day the result stays.
    let kept = player.model.last_choices.puzzle;
    player.press(&[Key::Char('q')]);
    player.press(&[Key::Char('p')]);
    play_in_puzzle(&mut player, false);
    assert_eq!(player.model.last_choices.puzzle, kept);
}

#[test]
fn a_puzzle_in_misere_ends_with_the_line_of_the_opponent() {
    let mut player = puzzle_player("3x3:3+misere");
    for _ in 0..player.view().puzzle().unwrap().task().moves {
        play_in_puzzle(&mut player, true);
        player.advance(1000);
    }
    assert_eq!(phase(&player), Phase::Over);
    let progress = player.model.last_choices.puzzle.unwrap();
    assert_eq!(progress.state, PuzzleState::Solved);
}

#[test]
fn a_puzzle_that_is_given_up_shows_its_solution() {
    let mut player = puzzle_player("3x3:3");
    player.type_letters("Ry");
    let progress = player.model.last_choices.puzzle.unwrap();
    assert_eq!((progress.state, progress.streak), (PuzzleState::GivenUp, 0));
    let Some(Notification::PuzzleOver(result)) = &player.model.notification else {
        panic!("{:?}", player.model.notification);
    };
    assert!(
        !result.solved && result.moves.len() == result.task.moves,
        "{result:?}"
    );
}

fn phase(player: &TestPlayer) -> Phase {
    player.view().game.phase()
}

#[test]
fn a_rematch_of_two_people_swaps_the_seats() {
    let mut player = TestPlayer::local(Mode::Full, "3x3:3", ["Ann", "Bob"]);
    player.type_letters("51234");
    assert_eq!(phase(&player), Phase::Playing);
    player.type_letters("t");
    assert_eq!(player.ply(), 4);
    player.type_letters("8");
    assert_eq!(phase(&player), Phase::Over);
    player.advance(1000);
    player.press(&[Key::Enter]);
    assert_eq!(phase(&player), Phase::Playing);
    let view = player.view();
    assert_eq!(
        (
            view.game.number(),
            view.player_ref(Seat::X).unwrap().name.as_str()
        ),
        (2, "Bob")
    );
}

#[test]
fn the_move_of_a_bot_appears_after_a_delay() {
    let mut player = TestPlayer::local(Mode::Full, "3x3:3", ["Ann", "bot:easy"]);
    assert!(player.effects.is_empty());
    player.type_letters("5");
    assert!(matches!(player.effects[..], [Effect::Search { .. }]));
    player.type_letters("1");
    assert_eq!(player.last_output(), "It is the bot's turn.");
    finish_search(&mut player, 0);
    assert_eq!(player.ply(), 1, "the move appears without a delay");
    let due = player.model.deadline().unwrap();
    player.advance(due - player.model.now);
    assert_eq!(player.last_output(), "Bot easy (O) plays a1. Your move.");
}

#[test]
fn a_takeback_stops_the_search_and_discards_its_result() {
    let mut player = TestPlayer::local(INTERACTIVE, "3x3:3", ["Ann", "bot:easy"]);
    player.type_line("5");
    player.type_line("undo");
    assert!(matches!(
        player.effects[..],
        [Effect::Search { .. }, Effect::StopSearch]
    ));
    finish_search(&mut player, 0);
    assert_eq!(player.ply(), 0);
    assert_eq!(player.last_output(), "Move taken back. Your move.");
}

#[test]
fn a_bot_answers_a_draw_by_its_evaluation() {
    let mut player = TestPlayer::local(INTERACTIVE, "3x3:3", ["Ann", "bot:easy"]);
    player.type_line("draw");
    assert_eq!(player.last_output(), "The bot declines.");
    player.type_line("5");
    finish_search(&mut player, 0);
    player.take_output();
    player.expect_output(
        "draw",
        &[
            "Draw by agreement. Score: you 0 - 0 Bot easy, 1 draw.",
            "Play again? y or n.",
        ],
    );
    player.type_line("n");
    assert_eq!(player.quit, Some(Exit::Done));
}

#[test]
fn two_bots_play_to_the_end() {
    let mut player = TestPlayer::local(SCRIPT, "3x3:3", ["bot:easy", "bot:hard"]);
    player.feed(Msg::Input(Input::Eof));
    for cell in [4, 0, 2, 1, 6] {
        assert_eq!(player.quit, None);
        finish_search(&mut player, cell);
    }
    assert_eq!(
        player.output[player.output.len() - 2],
        "Bot easy (X) wins. Anti-diagonal c1-b2-a3. Score: Bot easy 1 - 0 Bot hard, 0 draws."
    );
    assert_eq!(player.quit, Some(Exit::Done));
}

#[test]
fn random_seats_give_x_to_either_player() {
    let mut first = [0; 2];
    for seed in 0..64 {
        let rules = "3x3:3".parse().unwrap();
        let players = ["Ann".parse().unwrap(), "Bob".parse().unwrap()];
        let mut model = Model::new(
            Mode::Full,
            Appearance {
                color: false,
                has_palette: false,
                unicode: false,
                theme: Theme::Auto,
                has_light_background: false,
            },
            settings(),
            seed,
        );
        initial_effects(
            &mut model,
            InitialAction::Apply(FormResult::Local(LocalSetup {
                rules,
                players,
                seat_assignment: SeatAssignment::Random,
            })),
        );
        first[usize::from(
            model
                .game_view()
                .unwrap()
                .player_ref(Seat::X)
                .unwrap()
                .name
                .as_str()
                == "Bob",
        )] += 1;
    }
    assert!(first.iter().all(|&count| count > 16), "{first:?}");
}

#[test]
fn a_game_is_saved_as_a_record() {
    let mut player = TestPlayer::local(INTERACTIVE, "3x3:3", ["Ann", "Bob"]);
    player.type_line("5");
    player.type_line("save game.txt");
    let Some(Effect::SaveFile { path, text }) = player.effects.pop() else {
        panic!("no file is saved")
    };
    assert_eq!(path, "game.txt");
    assert!(text.parse::<noughts_protocol::Record>().is_ok(), "{text}");
    player.feed(Msg::FileSaved {
        path,
        result: Err(LocalizableIoError::other("disk full")),
    });
    assert_eq!(player.last_output(), "Cannot write game.txt: disk full.");
}

#[test]
fn a_proposed_file_name_that_is_taken_continues_with_the_next_number() {
    let mut player = TestPlayer::local(Mode::Full, "3x3:3", ["Ann", "Bob"]);
    player.type_letters("14253");
    player.advance(1_000);
    player.type_letters("S");
    player.press(&[Key::Enter]);
    let save = |player: &mut TestPlayer, result: Result<(), std::io::ErrorKind>| {
        let Some(Effect::SaveFile { path, .. }) = player.effects.pop() else {
            panic!("no file is saved")
        };
        let result = result.map_err(|kind| LocalizableIoError::from(std::io::Error::from(kind)));
        player.feed(Msg::FileSaved {
            path: path.clone(),
            result,
        });
        path
    };
    let exists = || Err(std::io::ErrorKind::AlreadyExists);
    assert_eq!(save(&mut player, exists()), "game-1.txt");
    assert_eq!(save(&mut player, exists()), "game-2.txt");
    assert_eq!(save(&mut player, Ok(())), "game-3.txt");
    assert_eq!(player.last_output(), "Game saved to game-3.txt.");
    let mut player = TestPlayer::local(INTERACTIVE, "3x3:3", ["Ann", "Bob"]);
    player.type_line("save game-999.txt");
    save(&mut player, exists());
    assert_eq!(
        player.last_output(),
        "Cannot write game-999.txt: file exists."
    );
}

#[test]
fn leaving_needs_confirmation_only_after_a_move() {
    let mut player = TestPlayer::local(Mode::Full, "3x3:3", ["Ann", "Bob"]);
    player.type_letters("q");
    assert_eq!(player.quit, Some(Exit::Done));
    let mut player = TestPlayer::local(Mode::Full, "3x3:3", ["Ann", "Bob"]);
    player.type_letters("5q");
    assert_eq!(player.quit, None);
    player.type_letters("y");
    assert_eq!(player.quit, Some(Exit::Done));
}

#[test]
fn line_mode_asks_for_both_players() {
    let form = crate::model::Form::new(crate::facts::FormKind::Local, &settings());
    let mut player = TestPlayer::new(INTERACTIVE, InitialAction::Form(form));
    for line in ["connect4", "", "bot:brutal", "bot:hard", "x", "2"] {
        assert!(matches!(player.model.screen, Screen::Form(_)), "{line}");
        player.type_line(line);
    }
    assert_eq!(
        player.output,
        [
            "Game [tictactoe] (a game's name, or width x height : in a row, e.g. 15x15:5)?",
            "First player [Ann] (a name, or bot:1 to bot:8 (bot:easy, bot:perfect))?",
            "Second player [Guest] (a name, or bot:1 to bot:8 (bot:easy, bot:perfect))?",
            "A bot must be bot, or bot with a level: bot:1 to bot:8, bot:easy, bot:perfect.",
            "Second player [Guest] (a name, or bot:1 to bot:8 (bot:easy, bot:perfect))?",
            "Who plays X: 1 Ann, 2 computer, level 7 of 8: hard, 3 random? [1]",
            "Type the number of one of the choices.",
            "Who plays X: 1 Ann, 2 computer, level 7 of 8: hard, 3 random? [1]",
            "Game 1, Connect Four 7x6. Bot hard is X, you are O.",
            "Type a cell to play, b to see the board, help for all commands.",
        ]
    );
}

/// Runs the last requested analysis, and feeds its result.
fn finish_analysis(player: &mut TestPlayer) {
    let request = player.effects.drain(..).rev().find_map(|effect| {
        if let Effect::Analyze(request) = effect {
            Some(request)
        } else {
            None
        }
    });
    let stop = std::sync::atomic::AtomicBool::new(false);
    let watch = crate::engines::analysis::StopAndClock {
        elapsed: &|| std::time::Duration::ZERO,
        stop: &stop,
    };
    let time = std::time::Duration::from_secs(60);
    let result = crate::engines::analysis::analyse(
        &request.expect("an analysis was requested"),
        time,
        watch,
        &|_| {},
    );
    player.feed(Msg::AnalysisDone(
        result.expect("the analysis runs to its end"),
    ));
}

#[test]
fn the_last_game_starts_again_with_the_current_name_and_level() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    let setup = LocalSetup {
        rules: "4x4:4".parse().unwrap(),
        players: ["Old", "bot:hard"].map(|text| text.parse().unwrap()),
        seat_assignment: SeatAssignment::AsGiven,
    };
    let start = InitialAction::Apply(FormResult::Local(setup));
    let mut first = TestPlayer::new(Mode::Full, start);
    let kept = first.model.last_choices.clone();
    assert!(kept.game.is_some());
    first.take_output();
    player.model.settings.name = "Player".parse().unwrap();
    player.model.use_last_choices(kept);
    let drawn = player.model.settings.name.clone();
    assert!(drawn.as_str().contains(' '), "{drawn} is a drawn name");
    assert_eq!(player.model.last_choices.name.as_ref(), Some(&drawn));
    assert_eq!(player.model.settings.level.to_string(), "hard");
    let Some(FormResult::Local(again)) = player.model.last_start() else {
        panic!("the game is offered again");
    };
    assert_eq!(again.players[0].to_string(), drawn.as_str());
    assert_eq!(again.players[1].to_string(), "bot:hard");
}

#[test]
fn free_cells_are_evaluated_on_request() {
    let mut player = TestPlayer::local(INTERACTIVE, "3x3:3", ["Ann", "Bob"]);
    for line in ["b2", "b1"] {
        player.type_line(line);
    }
    player.take_output();
    player.expect_output("values", &["Analysing ..."]);
    finish_analysis(&mut player);
    let output = player.take_output();
    assert!(
        output.len() >= 2 && output[0].starts_with("wins in 3: "),
        "{output:?}"
    );
    // The position has changed since the request, so nothing is reported.
    player.type_line("values");
    player.type_line("a1");
    player.take_output();
    finish_analysis(&mut player);
    assert!(player.take_output().is_empty());
}

#[test]
fn a_finished_game_is_reviewed_as_text() {
    let mut player = TestPlayer::local(INTERACTIVE, "3x3:3", ["Ann", "Bob"]);
    player.type_line("review");
    assert!(player.effects.is_empty(), "a game in progress is reviewed");
    for line in ["b2", "b1", "a1", "c3", "a2", "a3", "c2"] {
        player.type_line(line);
    }
    player.take_output();
    player.type_line("review");
    finish_analysis(&mut player);
    let output = player.take_output();
    assert_eq!(
        (output.len(), output[1].as_str()),
        (1 + 7 + 1, "1. X b2"),
        "{output:?}"
    );
    assert!(
        output[2].starts_with("2. O b1? ") && output[2].ends_with(" was better."),
        "{output:?}"
    );
    assert!(
        output[8].starts_with("Move 2, O b1, lost the game. "),
        "{output:?}"
    );
}

#[test]
fn a_record_is_reviewed_before_the_program_ends() {
    let text = "[Rules \"3x3:3\"]\n[Result \"X line\"]\n\n1. b2 b1 2. a1 c3 3. a2 a3 4. c2\n";
    let mut player = TestPlayer::new(SCRIPT, InitialAction::Review(text.parse().unwrap()));
    // The input has ended, but the program waits for the review.
    player.feed(Msg::Input(crate::input::Input::Eof));
    assert_eq!(player.quit, None);
    finish_analysis(&mut player);
    assert!(
        player
            .take_output()
            .iter()
            .any(|line| line.starts_with("Move 2, O b1, lost the game"))
    );
    assert_eq!(player.quit, Some(Exit::Done));
}

#[test]
fn the_key_of_the_next_mistake_waits_for_the_review() {
    let text = "[Rules \"3x3:3\"]\n[Result \"X line\"]\n\n1. b2 b1 2. a1 c3 3. a2 a3 4. c2\n";
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Analysis(text.parse().unwrap()));
    let is_analysis = |effect: &Effect| matches!(effect, Effect::Analyze(_));
    player.type_letters("ee");
    assert_eq!(player.count_effects(is_analysis), 1);
    finish_analysis(&mut player);
    let shown_ply = |player: &TestPlayer| {
        let analysis = player.model.screen.as_analysis().unwrap();
        analysis.position.ply()
    };
    assert_eq!(shown_ply(&player), 2, "the losing move is not shown");
    player.type_letters(".e");
    assert_eq!(shown_ply(&player), 2, "there is no other mistake");
}

#[test]
fn a_late_result_of_values_leaves_the_review_running() {
    let mut player = TestPlayer::local(Mode::Full, "3x3:3", ["Ann", "Bob"]);
    player.type_letters("14253");
    player.advance(1_000);
    player.type_letters("e");
    player.feed(Msg::AnalysisDone(AnalysisResult::Values(None)));
    assert!(matches!(
        player.model.running_analysis,
        Some(AnalysisRequest::Review(_))
    ));
}

#[test]
fn a_review_is_not_shown_over_the_next_game() {
    let mut player = TestPlayer::local(Mode::Full, "3x3:3", ["Ann", "Bob"]);
    player.type_letters("14253");
    player.advance(1_000);
    player.type_letters("e");
    player.press(&[Key::Esc]);
    player.type_letters("r");
    player.advance(1_000);
    finish_analysis(&mut player);
    assert!(
        player.ply() == 0 && player.model.notification.is_none(),
        "{:?}",
        player.model.notification
    );
}

#[test]
fn an_analysis_evaluates_each_position_that_it_shows() {
    let text = "[Rules \"3x3:3\"]\n\n1. b2 b1\n";
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Analysis(text.parse().unwrap()));
    // The review comes first.
    player.press(&[Key::End]);
    finish_analysis(&mut player);
    assert!(player.model.values().is_none());
    finish_analysis(&mut player);
    let count = |player: &TestPlayer| player.model.values().map(|values| values.cells.len());
    // The last move was a mistake, so the values describe the position before it.
    assert_eq!(count(&player), Some(8));
    player.type_letters(",");
    assert_eq!(count(&player), Some(8));
    player.type_letters(",");
    assert_eq!(
        count(&player),
        None,
        "the values of another position are shown"
    );
    finish_analysis(&mut player);
    assert_eq!(
        count(&player),
        Some(9),
        "the values of the new position are missing"
    );
}

#[test]
fn a_failed_engine_resigns() {
    let mut player = TestPlayer::local(INTERACTIVE, "3x3:3", ["Ann", "plain:pbrain-x"]);
    player.type_line("5");
    let Some(Effect::Search { search_id, .. }) = player.effects.last() else {
        panic!("{:?}", player.effects)
    };
    let search_id = *search_id;
    player.take_output();
    player.feed(Msg::SearchDone {
        search_id,
        result: Err(EngineError::TooMuchOutput),
    });
    assert_eq!(
        player.take_output()[..2],
        [
            "The program failed: too much output.",
            "You win: Bot pbrain-x resigned. Score: you 1 - 0 Bot pbrain-x, 0 draws."
        ]
    );
    assert_eq!(phase(&player), Phase::Over);
}
