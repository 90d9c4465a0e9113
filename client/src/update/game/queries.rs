//! Answers the player's queries about the game from the model, without a request to the server. Starts the analyses
//! that the player requests: evaluations of the free cells, and reviews of finished games.

use std::io::ErrorKind;

use noughts_protocol::wire::Presence;
use noughts_protocol::{Cell, Game, Phase, PlayerKind, Record, Seat, Status};

use crate::engines::analysis::{AnalysisRequest, AnalysisResult, GameReview};
use crate::facts::json_members::cell_texts;
use crate::facts::{Exit, Failure, Notification, QueryAnswer, ScanLabel, ScannedCell, Unavailable};
use crate::game_link::game_link;
use crate::input::command_arguments::ScanTarget;
use crate::io::io_error::LocalizableIoError;
use crate::model::{Analysis, GameHost, GameView, Mode, Model, OwnGamesScreen, Screen};
use crate::puzzle::PuzzleState;
use crate::update::message::{Effect, Effects};

/// Reports the answer to `query`, or that no game is shown.
fn notify_answer(
    model: &mut Model,
    out: &mut Effects,
    query: impl FnOnce(&GameView, &Model) -> Result<QueryAnswer, Unavailable>,
) {
    let notification = match model
        .game_view()
        .ok_or(Unavailable::NoBoard)
        .and_then(|view| query(view, model))
    {
        Ok(answer) => Notification::QueryAnswer(answer),
        Err(reason) => Notification::Unavailable(reason),
    };
    out.notify(model, notification);
}

pub(in crate::update) fn query_board(model: &mut Model, out: &mut Effects) {
    notify_answer(model, out, |view, model| {
        Ok(QueryAnswer::Board {
            position: view.game.position().clone(),
            digit_order: model.settings.digits,
        })
    });
}

pub(in crate::update) fn query_scan(model: &mut Model, scan: ScanTarget, out: &mut Effects) {
    notify_answer(model, out, |view, _| {
        let position = view.game.position();
        let rules = *view.game.rules();
        let at = |x, y, layer: [u8; 2]| {
            let cell = rules.cell_at(&[x, y, layer[0], layer[1]][..rules.dimensions()])?;
            Some(ScannedCell {
                cell: rules.cell_text(cell),
                mark: position.stone_at(cell),
            })
        };
        let (name, cells) = match scan {
            ScanTarget::Row(y, layer) => (
                ScanLabel::Row(rules.row_number(y)),
                (0..rules.width()).filter_map(|x| at(x, y, layer)).collect(),
            ),
            ScanTarget::Column(x, layer) => (
                ScanLabel::Column(x + 1),
                (0..rules.height())
                    .filter_map(|y| at(x, y, layer))
                    .collect(),
            ),
        };
        Ok(QueryAnswer::Scan { name, cells })
    });
}

/// Lists the player's stones, or with two people at one terminal, the stones of the side to move.
pub(in crate::update) fn query_marks(model: &mut Model, out: &mut Effects) {
    notify_answer(model, out, |view, _| {
        let seat = view.acting_seat().ok_or(Unavailable::Watching)?;
        let who = view.player_ref(seat).ok_or(Unavailable::NoGame)?;
        let cells = cell_texts(&cells_with_stones(&view.game, seat), view.game.rules());
        Ok(QueryAnswer::Marks { who, cells })
    });
}

fn cells_with_stones(game: &Game, seat: Seat) -> Vec<Cell> {
    let position = game.position();
    (0..game.rules().cells() as u16)
        .map(Cell::new)
        .filter(|&cell| position.stone_at(cell) == Some(seat))
        .collect()
}

pub(in crate::update) fn query_last_move(model: &mut Model, out: &mut Effects) {
    notify_answer(model, out, |view, _| {
        let last = view.game.position().moves().last().copied();
        Ok(QueryAnswer::Last {
            who: last
                .and_then(|cell| view.game.position().stone_at(cell))
                .and_then(|seat| view.player_ref(seat)),
            cell: last.map(|cell| view.game.rules().cell_text(cell)),
        })
    });
}

pub(in crate::update) fn query_clocks(model: &mut Model, out: &mut Effects) {
    notify_answer(model, out, |view, model| {
        let clocks = view.time_left(model.now).zip(view.players());
        Ok(QueryAnswer::Clocks(
            clocks.map(|([x, o], [who_x, who_o])| [(who_x, x), (who_o, o)]),
        ))
    });
}

pub(in crate::update) fn query_opponent(model: &mut Model, out: &mut Effects) {
    notify_answer(model, out, |view, _| {
        let seat = view.opponent().ok_or(Unavailable::NoOpponent)?;
        let who = view.player_ref(seat).ok_or(Unavailable::NoOpponent)?;
        let bot = view
            .game
            .player(seat)
            .is_some_and(|player| player.kind == PlayerKind::Bot);
        let room = view.room();
        let presence = room.map_or(Presence::Connected, |room| {
            room.presence[seat.index()].presence
        });
        let lag_ms = room.and_then(|room| room.lag[seat.index()]);
        Ok(QueryAnswer::Opponent {
            who,
            bot,
            presence,
            lag_ms,
        })
    });
}

/// Reports the command that lets others watch the game. It contains the code of a private room.
pub(in crate::update) fn query_invite(model: &mut Model, out: &mut Effects) {
    let room = model.game_view().and_then(|view| {
        Some((
            view.room()?.room_ref(),
            *view.game.rules(),
            view.game.control(),
        ))
    });
    let notification = match (room, &model.session) {
        (Some((room, rules, clock)), Some(session)) => Notification::RoomAddress {
            server: session.invite_server().clone(),
            room,
            rules,
            clock,
        },
        (None, _) | (_, None) => Notification::Unavailable(Unavailable::OnlyOnAServer),
    };
    out.notify(model, notification);
}

/// Reports the link to the displayed finished game.
pub(in crate::update) fn query_game_link(model: &mut Model, out: &mut Effects) {
    let notification = match game_link_on_screen(model) {
        Ok((link, _)) => Notification::GameLink { link },
        Err(notification) => *notification,
    };
    out.notify(model, notification);
}

/// Copies the link to the displayed finished game, or the result of a solved puzzle. Without a server that others can
/// reach, the link contains no address.
pub(in crate::update) fn copy_game_link(model: &mut Model, out: &mut Effects) {
    let solved = model
        .game_view()
        .and_then(GameView::puzzle)
        .filter(|puzzle| puzzle.progress.state == PuzzleState::Solved);
    if let Some(puzzle) = solved {
        let result = puzzle.result(|cell| puzzle.puzzle.rules.cell_text(cell));
        let line = model.lang().texts().puzzle_shared(&result);
        out.push(Effect::Copy(line));
        return out.notify(model, Notification::Copied);
    }
    let notification = match game_link_on_screen(model) {
        Ok((link, has_server)) => {
            out.push(Effect::Copy(link));
            match has_server {
                true => Notification::Copied,
                false => Notification::CopiedWithoutServer,
            }
        }
        Err(notification) => *notification,
    };
    out.notify(model, notification);
}

/// Returns the link to the displayed finished game, and whether it names a server.
fn game_link_on_screen(model: &Model) -> Result<(String, bool), Box<Notification>> {
    let of_own_game = |games: &OwnGamesScreen| {
        let game = games.selected_game()?;
        Some((game.record.clone(), game.server.clone()))
    };
    let finished = match &model.screen {
        Screen::OwnGames(games) => of_own_game(games),
        // The analysis of one of the player's own games uses the server of that game.
        Screen::Analysis(analysis) => Some(
            model
                .own_games
                .as_ref()
                .and_then(of_own_game)
                .unwrap_or_else(|| (analysis.record.clone(), None)),
        ),
        Screen::Game(view) => {
            let session = model.session.as_ref().filter(|_| view.room().is_some());
            let server = session.map(|session| session.invite_server().clone());
            let record = view.game.record().filter(|_| view.has_ended());
            record.map(|record| (record, server))
        }
        Screen::Home { .. }
        | Screen::Form(_)
        | Screen::Waiting
        | Screen::Lobby(_)
        | Screen::MultiWatch(_) => None,
    };
    let unavailable = match model.game_view() {
        Some(view) if !view.has_ended() => Unavailable::GameOn,
        Some(_) | None => Unavailable::NoGame,
    };
    let unavailable = || Box::new(Notification::Unavailable(unavailable));
    let (record, server) = finished.ok_or_else(unavailable)?;
    // Every server's page opens every game. A server on this computer is left out, because others cannot reach it.
    let own_server = Some(&model.settings.server).filter(|server| !server.is_loopback());
    let server = server.or_else(|| own_server.cloned());
    game_link(server.as_ref(), &record)
        .map(|link| (link, server.is_some()))
        .map_err(|error| Box::new(Notification::Failed(Failure::BadLink { error })))
}

pub(in crate::update) fn query_help(model: &mut Model, out: &mut Effects) {
    let rules = model.board_rules();
    out.notify(
        model,
        Notification::QueryAnswer(QueryAnswer::Help { rules }),
    );
}

/// Writes the record of the game to a file.
pub(in crate::update) fn save_record(model: &mut Model, path: String, out: &mut Effects) {
    let record = match model.screen.as_own_games() {
        Some(games) => games.selected_game().map(|game| game.record.clone()),
        None => model.game_view().and_then(|view| view.game.record()),
    };
    match record {
        Some(record) => out.push(Effect::SaveFile {
            path,
            text: record.to_string(),
        }),
        None => out.notify(model, Notification::Unavailable(Unavailable::NoGame)),
    }
}

/// Reports the result of saving a file. On the full screen, if a file with the proposed name already exists, tries the
/// next name instead.
pub(in crate::update) fn on_file_saved(
    model: &mut Model,
    path: String,
    result: Result<(), LocalizableIoError>,
    out: &mut Effects,
) {
    let next = record_file_number(&path).filter(|_| model.mode == Mode::Full);
    match (result, next) {
        (Err(error), Some(number)) if error.kind() == ErrorKind::AlreadyExists => {
            save_record(model, record_file_name(number + 1), out);
        }
        (Ok(()), _) => out.notify(model, Notification::Saved { path }),
        (Err(error), _) => out.notify(
            model,
            Notification::Failed(Failure::NotSaved { path, error }),
        ),
    }
}

/// Highest number in a proposed file name.
const MAX_RECORD_FILE_NUMBER: u32 = 999;

/// Returns the proposed file name for a record.
pub(in crate::update) fn record_file_name(number: u32) -> String {
    format!("game-{number}.txt")
}

/// Returns the number in a proposed file name; `None` for the highest number.
fn record_file_number(path: &str) -> Option<u32> {
    let number = path.strip_prefix("game-")?.strip_suffix(".txt")?;
    let number = number.parse().ok()?;
    (number < MAX_RECORD_FILE_NUMBER).then_some(number)
}

/// Evaluates the free cells. Not available in an online game in progress, because it would be unfair.
pub(in crate::update) fn request_values(model: &mut Model, out: &mut Effects) {
    let in_analysis = model
        .screen
        .as_analysis()
        .map(|analysis| Ok(analysis.position.clone()));
    let in_game = model
        .screen
        .as_game()
        .map(|view| match (&view.host, view.game.phase()) {
            (GameHost::Local(local), Phase::Playing) if local.puzzle().is_some() => {
                Err(Unavailable::InPuzzle)
            }
            (GameHost::Local(_), Phase::Playing) => Ok(view.game.position().clone()),
            (GameHost::Server(_), Phase::Playing) => Err(Unavailable::NotOnAServer),
            (
                GameHost::Local(_) | GameHost::Server(_),
                Phase::Waiting | Phase::Over | Phase::Closed,
            ) => Err(Unavailable::NoGame),
        });
    let position = in_analysis.or(in_game).unwrap_or(Err(Unavailable::NoBoard));
    match position {
        Ok(position) => start_analysis(model, AnalysisRequest::Values(position), out),
        Err(reason) => out.notify(model, Notification::Unavailable(reason)),
    }
}

/// Evaluates each move of a finished game.
pub(in crate::update) fn request_review(model: &mut Model, out: &mut Effects) {
    let in_analysis = model
        .screen
        .as_analysis()
        .map(|analysis| Ok(analysis.record.clone()));
    let in_game = model.screen.as_game().map(|view| match view.game.phase() {
        _ if view.puzzle().is_some() => Err(Unavailable::InPuzzle),
        Phase::Over | Phase::Closed => view.game.record().ok_or(Unavailable::NoGame),
        Phase::Playing => Err(Unavailable::GameOn),
        Phase::Waiting => Err(Unavailable::NoGame),
    });
    let record = in_analysis.or(in_game).unwrap_or(Err(Unavailable::NoBoard));
    match record {
        Ok(record) => start_review(model, record, out),
        Err(reason) => out.notify(model, Notification::Unavailable(reason)),
    }
}

/// Opens the analysis of the displayed finished game. In an analysis, shows the next mistake.
pub(in crate::update) fn open_analysis(model: &mut Model, out: &mut Effects) {
    if model.mode != Mode::Full {
        request_review(model, out);
        return;
    }
    if let Some(analysis) = model.screen.as_analysis_mut() {
        match analysis.next_mistake() {
            Some(ply) => analysis.go_to(ply),
            None if analysis.review.is_some() => {
                let review = analysis.review.clone();
                model.notification = review.map(Notification::Review);
            }
            // When the review is complete, the analysis shows the first mistake.
            None if matches!(model.running_analysis, Some(AnalysisRequest::Review(_))) => {}
            None => request_review(model, out),
        }
        return;
    }
    let finished = model.game_view_mut().filter(|view| view.has_ended());
    match finished.and_then(|view| Some((view.game.record()?, view))) {
        Some((record, view)) => {
            let mut analysis = Analysis::new(record);
            analysis.go_to(usize::MAX);
            analysis.own_seat = view.own_seat();
            view.analysis = Some(Box::new(analysis));
            request_review(model, out);
        }
        None => out.notify(model, Notification::Unavailable(Unavailable::NoGame)),
    }
}

/// Leaves the analysis of the displayed game. Returns `false` if the analysis is about a record instead.
pub(in crate::update) fn close_analysis(model: &mut Model) -> bool {
    model
        .game_view_mut()
        .is_some_and(|view| view.analysis.take().is_some())
}

/// Evaluates the free cells of the board in an analysis, after the review. Called after every message.
pub(in crate::update) fn sync_values(model: &mut Model, out: &mut Effects) {
    if model.mode != Mode::Full || model.values().is_some() {
        return;
    }
    let Some(position) = model.screen.as_analysis().map(Analysis::evaluated_position) else {
        return;
    };
    let is_busy = match &model.running_analysis {
        Some(AnalysisRequest::Values(running)) => *running == *position,
        Some(AnalysisRequest::Review(_)) => true,
        None => false,
    };
    if !is_busy && position.status() == Status::Ongoing {
        let request = AnalysisRequest::Values(position.into_owned());
        model.running_analysis = Some(request.clone());
        out.push(Effect::Analyze(request));
    }
}

pub(in crate::update) fn start_review(model: &mut Model, record: Record, out: &mut Effects) {
    start_analysis(model, AnalysisRequest::Review(Box::new(record)), out);
}

fn start_analysis(model: &mut Model, request: AnalysisRequest, out: &mut Effects) {
    model.running_analysis = Some(request.clone());
    out.notify(model, Notification::Studying);
    out.push(Effect::Analyze(request));
}

pub(in crate::update) fn on_analysis_done(
    model: &mut Model,
    result: AnalysisResult,
    out: &mut Effects,
) {
    let is_of_running = matches!(
        (&model.running_analysis, &result),
        (Some(AnalysisRequest::Values(_)), AnalysisResult::Values(_))
            | (Some(AnalysisRequest::Review(_)), AnalysisResult::Review(_))
    );
    // Late values may arrive after a review has started.
    if is_of_running {
        model.running_analysis = None;
    }
    if let (Mode::Full, AnalysisResult::Values(values)) = (model.mode, &result) {
        model.values.clone_from(values);
        return;
    }
    let is_done = !matches!(result, AnalysisResult::Progress(_));
    if is_done && matches!(model.notification, Some(Notification::Studying)) {
        model.notification = None;
    }
    match result {
        AnalysisResult::Progress(progress) => {
            if let Some(analysis) = model.screen.as_analysis_mut() {
                analysis.progress = Some(progress);
            }
        }
        // The game is over, so no cell is left to evaluate.
        AnalysisResult::Values(None) => {
            out.notify(model, Notification::Unavailable(Unavailable::NoGame));
        }
        AnalysisResult::Values(Some(values)) => {
            model.values = Some(values.clone());
            // The displayed position may have changed since the request.
            if model.values().is_some() {
                out.notify(model, Notification::Values(values));
            }
        }
        // The next game may have begun since the request.
        AnalysisResult::Review(review)
            if model.mode == Mode::Full && !shows_reviewed_game(model, &review) => {}
        AnalysisResult::Review(review) => {
            // The full screen shows the position after the first mistake, unless the player has gone elsewhere.
            if let (Mode::Full, Some(analysis)) = (model.mode, model.screen.as_analysis_mut()) {
                let is_at_end = analysis.branch_ply.is_none()
                    && analysis.position.ply() == analysis.record.moves.len();
                analysis.review = Some(review.clone());
                analysis.progress = None;
                if let Some(ply) = analysis.first_mistake().filter(|_| is_at_end) {
                    analysis.go_to(ply);
                }
            }
            out.notify(model, Notification::Review(review));
            if model.screen.as_analysis().is_some() && model.mode != Mode::Full {
                out.push(Effect::Quit(Exit::Done));
            }
        }
    }
}

/// Returns whether the reviewed game is displayed.
fn shows_reviewed_game(model: &Model, review: &GameReview) -> bool {
    let record = match model.screen.as_analysis() {
        Some(analysis) => Some(analysis.record.clone()),
        None => model.game_view().and_then(|view| view.game.record()),
    };
    let reviewed = review.moves.iter().map(|reviewed| reviewed.cell);
    record.is_some_and(|record| record.rules == review.rules && reviewed.eq(record.moves))
}
