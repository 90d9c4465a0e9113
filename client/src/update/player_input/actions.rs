//! Effects of actions, whichever key or click requests them: on the board (moves, the cursor, steps through the moves),
//! and elsewhere.
//!
//! The entries of the menu after a game depend on the opponent's presence, so the selection is an entry rather than a
//! row.

use noughts_protocol::wire::{Claim, Phrase, RejectCode};
use noughts_protocol::{Cell, Offer, Rules};

use crate::facts::{Confirmation, MenuItem, Notification, Unavailable};
use crate::input::{Action, KeyContext, TextInput, text_command};
use crate::model::{Analysis, Model, Overlay, Screen, layout};
use crate::ui;
use crate::update::game::{game_commands, queries};
use crate::update::message::{Effect, Effects};
use crate::update::multi_watch;
use crate::update::screens::{self, confirmation, menus, own_games, profile, quit};

/// Executes an action in a context.
pub(super) fn on_action(model: &mut Model, context: KeyContext, action: Action, out: &mut Effects) {
    match action {
        Action::Interrupt => quit::interrupt(model, out),
        Action::Suspend => out.push(Effect::Suspend),
        Action::Redraw => out.push(Effect::Redraw),
        Action::Menu => open_menu(model),
        Action::Previous | Action::Next if context == KeyContext::Menu => {
            move_game_menu_selection(model, action == Action::Next);
        }
        Action::Choose if context == KeyContext::Menu => {
            if let Some(Overlay::Menu(Some(entry))) = model.overlay {
                run_menu_entry(model, entry, out);
            }
        }
        Action::Close if context == KeyContext::Menu => model.overlay = None,
        entry if context == KeyContext::Menu => run_menu_entry(model, entry, out),
        Action::Leave if context == KeyContext::Analysis && queries::close_analysis(model) => {}
        Action::Leave => quit::request_leave(model, out),
        Action::Close => on_close(model, context, out),
        Action::Help => model.overlay = Some(Overlay::Help(0)),
        Action::OpenPrompt => model.prompt = Some(TextInput::default()),
        Action::Yes | Action::No => confirmation::answer(model, action == Action::Yes, out),
        Action::MoveCursor(right, down) if context == KeyContext::MultiWatch => {
            multi_watch::move_focus(model, right, down);
        }
        Action::MoveCursor(_, down) if context == KeyContext::GameOver => {
            move_menu_selection(model, down > 0);
        }
        Action::MoveCursor(right, down) => {
            move_cursor(model, [right, down, 0, 0]);
        }
        Action::MoveLayer(by) => move_cursor(model, [0, 0, by, 0]),
        Action::MoveDepth(by) => {
            move_cursor(model, deep_step(model.board_rules().as_ref(), by));
        }
        Action::PlayCursor => {
            let cell = model.cursor();
            play_cell(model, cell, out);
        }
        Action::PlayDigit(digit) => {
            let cell = model
                .board_rules()
                .and_then(|rules| text_command::digit_cell(&rules, model.settings.digits, digit));
            if let Some(cell) = cell {
                play_cell(model, cell, out);
            }
        }
        Action::OfferDraw
            if model
                .game_view()
                .is_some_and(|view| view.can_claim(model.now)) =>
        {
            confirmation::confirm_draw_claim(model);
        }
        Action::OfferDraw => confirmation::offer_draw(model, out),
        Action::Takeback => game_commands::offer(model, Offer::Takeback, out),
        Action::Resign => confirmation::confirm_resign(model),
        Action::Save => save_game(model, out),
        Action::Hold => multi_watch::toggle_hold(model),
        Action::KeepSeat => quit::keep_seat(model, out),
        Action::Say if model.can_say() => model.overlay = Some(Overlay::Say(0)),
        Action::Say => out.notify(model, Notification::Unavailable(Unavailable::OnlyOnAServer)),
        Action::SayPhrase(index) => say_phrase(model, usize::from(index), out),
        Action::Mute => {
            model.overlay = None;
            game_commands::toggle_mute(model, out);
        }
        Action::Previous | Action::Next if context == KeyContext::Say => {
            if let Some(Overlay::Say(selected)) = &mut model.overlay {
                let last = Phrase::ALL.len() - 1;
                let down = action == Action::Next;
                *selected = if down {
                    (*selected + 1).min(last)
                } else {
                    selected.saturating_sub(1)
                };
            }
        }
        Action::Choose if context == KeyContext::Say => {
            if let Some(Overlay::Say(selected)) = model.overlay {
                say_phrase(model, selected, out);
            }
        }
        Action::ToggleGuideLines => {
            if let Some(view) = model.game_view_mut() {
                view.show_guide_lines = !view.show_guide_lines;
            }
        }
        Action::Review => queries::open_analysis(model, out),
        // In an analysis, the keys have no other meaning.
        Action::Accept | Action::Decline
            if context == KeyContext::Analysis && !model.is_rematch_offered() => {}
        Action::Accept => game_commands::accept(model, shown_offer(model), out),
        Action::Decline => game_commands::decline(model, shown_offer(model), out),
        Action::Rematch => game_commands::accept(model, Some(Offer::Rematch), out),
        // The key is ignored, because the same key moves the cursor during a game.
        Action::NextOpponent if is_menu_guarded(model) => {}
        Action::NextOpponent => menus::seek_next_opponent(model, out),
        Action::ShowInvite if context == KeyContext::OwnRoom && ui::can_show_qr(model) => {
            game_commands::toggle_qr(model);
        }
        Action::ShowInvite if context == KeyContext::Waiting => {
            confirmation::confirm_end_of_search(model, out);
        }
        Action::ShowInvite => queries::query_invite(model, out),
        Action::CopyLink
            if matches!(
                context,
                KeyContext::GameOver | KeyContext::Analysis | KeyContext::OwnGames
            ) =>
        {
            queries::copy_game_link(model, out);
        }
        Action::CopyLink | Action::CopyCommand => {
            game_commands::copy_invite(model, action == Action::CopyCommand, out);
        }
        Action::Puzzle => menus::choose_menu_item(model, MenuItem::Puzzle, out),
        Action::InviteBot if context == KeyContext::Home => {
            menus::choose_menu_item(model, MenuItem::Bot, out);
        }
        Action::InviteBot if context == KeyContext::Lobby && model.is_seeking() => {
            model.screen = Screen::Waiting;
            menus::play_bot_instead(model, out);
        }
        Action::InviteBot if context == KeyContext::Lobby => {
            menus::open_instead(model, MenuItem::Bot, out);
        }
        Action::NewRoom if model.is_seeking() => {
            model.screen = Screen::Waiting;
            confirmation::confirm_end_of_search(model, out);
        }
        Action::NewRoom => menus::open_instead(model, MenuItem::Private, out),
        Action::InviteBot if context == KeyContext::Waiting => menus::play_bot_instead(model, out),
        Action::InviteBot => game_commands::invite_bot(model, None, out),
        Action::Claim => game_commands::claim(model, Claim::Win, out),
        Action::Previous | Action::Next | Action::PreviousOption | Action::NextOption
            if context == KeyContext::Help =>
        {
            scroll_help(model, action);
        }
        Action::Previous | Action::Next | Action::PreviousOption | Action::NextOption
            if context == KeyContext::GamePicker =>
        {
            move_picker_selection(model, action);
        }
        Action::PreviousOption | Action::NextOption if context == KeyContext::OwnGames => {
            let page = usize::from(layout::list_height(model));
            if let Some(games) = model.screen.as_own_games_mut() {
                games.select(if action == Action::NextOption {
                    games.selected + page
                } else {
                    games.selected.saturating_sub(page)
                });
            }
        }
        Action::Previous => move_selection(model, false),
        Action::Next => move_selection(model, true),
        Action::First | Action::Last => jump_to_end(model, action == Action::Last),
        Action::PreviousOption | Action::NextOption => {
            if let Some(form) = model.screen.as_form_mut() {
                form.error = None;
                let (forward, field) = (action == Action::NextOption, form.field_mut());
                if !field.options.is_empty() {
                    field.cycle_option(forward);
                } else if forward {
                    field.input.move_right();
                } else {
                    field.input.move_left();
                }
            }
        }
        Action::Choose => on_choose(model, out),
        Action::ChooseNumber(number) => menus::choose_menu_number(model, usize::from(number), out),
        Action::Watch if context == KeyContext::Waiting => {
            menus::show_lobby_while_seeking(model);
        }
        Action::Watch => menus::enter_selected_room(model, true, out),
        Action::WatchAll => menus::watch_all(model, out),
        Action::Profile => profile::open(model, out),
        Action::Delete => confirmation::confirm_deletion(model),
        Action::Refresh if context == KeyContext::MultiWatch => {
            multi_watch::reconnect_focused(model, out);
        }
        Action::Refresh if context == KeyContext::Home => model.home_server.retry_now(model.now),
        Action::Refresh => screens::refresh_list(model, out),
    }
}

fn on_close(model: &mut Model, context: KeyContext, out: &mut Effects) {
    match context {
        KeyContext::Help | KeyContext::Menu | KeyContext::Say => model.overlay = None,
        KeyContext::Form => quit::leave(model, out),
        KeyContext::GamePicker => menus::close_game_picker(model, out),
        // Over a slow line, part of an arrow key may arrive as Esc. Therefore Esc does not leave a game, because its
        // record would be lost.
        KeyContext::Playing | KeyContext::GameOver => jump_to_end(model, true),
        KeyContext::Watching if model.game_view().is_some_and(|view| view.room().is_none()) => {
            jump_to_end(model, true);
        }
        KeyContext::Analysis => {
            let branch = model.screen.as_analysis_mut().map(Analysis::leave_branch);
            if branch != Some(true) && !queries::close_analysis(model) {
                quit::request_leave(model, out);
            }
        }
        KeyContext::Watching
            if model
                .game_view()
                .is_some_and(|view| view.plies_back().is_some()) =>
        {
            jump_to_end(model, true);
        }
        // Asks first, because a friend may be on the way.
        KeyContext::OwnRoom => {
            model.overlay = Some(Overlay::Confirmation(Confirmation::CloseRoom));
        }
        KeyContext::Home
        | KeyContext::Lobby
        | KeyContext::OwnGames
        | KeyContext::Waiting
        | KeyContext::Watching
        | KeyContext::MultiWatch
        | KeyContext::Confirmation => quit::request_leave(model, out),
    }
}

fn on_choose(model: &mut Model, out: &mut Effects) {
    if let Screen::Home { selected } = model.screen {
        let items = model.menu_items();
        menus::choose_menu_item(model, items[selected.min(items.len() - 1)], out);
    } else if model.screen_key_context() == KeyContext::GamePicker {
        menus::choose_game(model);
    } else if menus::is_game_field(model) {
        menus::open_game_picker(model, true);
    } else if model.screen.as_form().is_some() {
        menus::submit_form(model, out);
    } else if model.screen.as_lobby().is_some() {
        menus::enter_selected_room(model, false, out);
    } else if model.screen.as_own_games().is_some() {
        own_games::analyse_selected(model, out);
    } else if model.screen.is_waiting() {
        menus::accept_selected_seek(model, out);
    } else if let Some(grid) = model.screen.as_multi_watch_mut() {
        grid.open_focused();
    } else if !is_menu_guarded(model)
        && let Some(action) = model.selected_after_game_action()
    {
        on_action(model, KeyContext::GameOver, action, out);
    }
}

/// Opens the menu of the game in progress. At an earlier position, returns to the game.
fn open_menu(model: &mut Model) {
    if model
        .game_view()
        .is_some_and(|view| view.plies_back().is_some())
    {
        jump_to_end(model, true);
    } else {
        // Nothing is selected, because part of an arrow key can arrive as Esc, and Enter would place a mark.
        model.overlay = Some(Overlay::Menu(None));
    }
}

/// Closes the menu and runs an entry, unless the entry has vanished.
fn run_menu_entry(model: &mut Model, entry: Action, out: &mut Effects) {
    let has_effect = model.game_menu_actions().contains(&entry);
    model.overlay = None;
    if has_effect {
        on_action(model, KeyContext::Playing, entry, out);
    }
}

/// Selects the next or the previous entry in the menu of a game in progress.
fn move_game_menu_selection(model: &mut Model, down: bool) {
    let actions = model.game_menu_actions();
    if let Some(Overlay::Menu(selected)) = &mut model.overlay {
        *selected = neighbour(&actions, *selected, down);
    }
}

/// Returns the entry after or before the selected entry. If no entry is selected, returns the first.
fn neighbour(actions: &[Action], selected: Option<Action>, down: bool) -> Option<Action> {
    let index = actions.iter().position(|action| Some(*action) == selected);
    let index = match index {
        None => 0,
        Some(index) if down => (index + 1).min(actions.len() - 1),
        Some(index) => index.saturating_sub(1),
    };
    actions.get(index).copied()
}

/// Returns whether a key may have been pressed for the game before the menu appeared, or for the menu before it
/// changed.
fn is_menu_guarded(model: &Model) -> bool {
    model
        .game_view()
        .is_some_and(|view| view.is_menu_guarded(model.now))
}

/// Moves the selection up or down. In a game or a record, steps through the moves.
fn move_selection(model: &mut Model, down: bool) {
    let step_index = |index: usize, count: usize| match (down, count) {
        (_, 0) => 0,
        (true, _) => (index + 1).min(count - 1),
        (false, _) => index.saturating_sub(1),
    };
    let item_count = model.menu_items().len();
    match &mut model.screen {
        Screen::Home { selected } => *selected = step_index(*selected, item_count),
        Screen::Form(form) => {
            form.error = None;
            form.move_focus(down);
        }
        Screen::Lobby(lobby) => lobby.move_selection(down),
        Screen::OwnGames(games) => {
            games.select(step_index(games.selected, games.row_count()));
        }
        Screen::Analysis(analysis) => step_analysis(analysis, down),
        Screen::Game(view) => {
            if let Some(analysis) = &mut view.analysis {
                step_analysis(analysis, down);
                return;
            }
            let ply = view.shown_position().ply();
            view.step_to(if down { ply + 1 } else { ply.saturating_sub(1) });
        }
        Screen::MultiWatch(_) => multi_watch::cycle_focus(model, down),
        Screen::Waiting => {
            if let Some(session) = &mut model.session {
                session.move_seek_selection(down);
            }
        }
    }
}

/// Moves the selection in the list of games by a row or a page.
fn move_picker_selection(model: &mut Model, action: Action) {
    const PAGE_ROWS: isize = 5;
    let texts = model.lang().texts();
    let by = if matches!(action, Action::PreviousOption | Action::NextOption) {
        PAGE_ROWS
    } else {
        1
    };
    let down = matches!(action, Action::Next | Action::NextOption);
    if let Some(picker) = model
        .screen
        .as_form_mut()
        .and_then(|form| form.picker.as_mut())
    {
        picker.move_selection(texts, if down { by } else { -by });
    }
}

/// Says the phrase with this index, and closes the menu.
pub(super) fn say_phrase(model: &mut Model, index: usize, out: &mut Effects) {
    model.overlay = None;
    if let Some(&phrase) = Phrase::ALL.get(index) {
        game_commands::say(model, phrase, out);
    }
}

/// Scrolls the help by a line or a page.
fn scroll_help(model: &mut Model, action: Action) {
    let Some(Overlay::Help(top)) = model.overlay else {
        return;
    };
    let (page, furthest) = ui::help_scroll_extent(model);
    let by = if matches!(action, Action::PreviousOption | Action::NextOption) {
        page
    } else {
        1
    };
    let down = matches!(action, Action::Next | Action::NextOption);
    let to = if down {
        top + by
    } else {
        top.saturating_sub(by)
    };
    model.overlay = Some(Overlay::Help(to.min(furthest)));
}

/// Plays a move, or tries it out in an analysis. While an earlier position is displayed, returns to the game instead.
pub(super) fn play_cell(model: &mut Model, cell: Cell, out: &mut Effects) {
    if let Some(analysis) = model.screen.as_analysis_mut() {
        analysis.cursor = cell;
        if !analysis.try_move(cell) {
            let rules = analysis.record.rules;
            let reject = RejectCode::CellTaken.into();
            let cell = model.cell_name(&rules, cell);
            out.notify(model, Notification::Illegal { reject, cell });
        }
    } else if model
        .game_view()
        .is_some_and(|view| view.plies_back().is_some())
    {
        jump_to_end(model, true);
    } else {
        game_commands::play_move(model, cell, out);
    }
}

/// Returns the opponent's offer in the status row: the first if there are several.
fn shown_offer(model: &Model) -> Option<Offer> {
    let view = model.game_view()?;
    let opponent = view.opponent()?;
    let is_offered = |offer: &Offer| view.game.offered_by(*offer) == Some(opponent);
    Offer::ALL.into_iter().find(is_offered)
}

/// Saves the game under the proposed name, or under the next free name.
fn save_game(model: &mut Model, out: &mut Effects) {
    let number = model.game_view().map_or(1, |view| view.game.number());
    queries::save_record(model, queries::record_file_name(number), out);
}

pub(super) fn jump_to_end(model: &mut Model, is_last: bool) {
    if let Some(analysis) = model.screen.as_analysis_mut() {
        analysis.go_to(if is_last { usize::MAX } else { 0 });
    } else if let Some(view) = model.game_view_mut() {
        view.step_to(if is_last { usize::MAX } else { 0 });
    } else if let Some(lobby) = model.screen.as_lobby_mut() {
        lobby.select(if is_last {
            lobby.row_count().saturating_sub(1)
        } else {
            0
        });
    } else if let Some(games) = model.screen.as_own_games_mut() {
        games.select(if is_last { usize::MAX } else { 0 });
    } else if model.screen.is_home() {
        let last = model.menu_items().len() - 1;
        model.screen = Screen::Home {
            selected: if is_last { last } else { 0 },
        };
    }
}

/// Shows the position after this number of moves. An analysis returns to the record.
pub(super) fn step_to(model: &mut Model, ply: usize) {
    if let Some(analysis) = model.screen.as_analysis_mut() {
        analysis.go_to(ply);
    } else if let Some(view) = model.game_view_mut() {
        view.step_to(ply);
    }
}

pub(super) fn step_analysis(analysis: &mut Analysis, forward: bool) {
    if forward {
        analysis.try_play_next();
    } else {
        analysis.step_back();
    }
}

/// Returns a step along the fourth dimension, or with three dimensions along the third.
pub(super) fn deep_step(rules: Option<&Rules>, by: i8) -> [i8; 4] {
    match rules {
        Some(rules) if rules.dimensions() == 4 => [0, 0, 0, by],
        Some(_) | None => [0, 0, by, 0],
    }
}

/// Moves the cursor. It stops at the edges.
pub(super) fn move_cursor(model: &mut Model, by: [i8; 4]) {
    let Some(rules) = model.board_rules() else {
        return;
    };
    let Some(mut at) = rules.coordinates(model.cursor()) else {
        return;
    };
    for (axis, side) in rules.sides().iter().enumerate() {
        at[axis] = at[axis].saturating_add_signed(by[axis]).min(side - 1);
    }
    if let Some(cell) = rules.cell_at(&at[..rules.dimensions()]) {
        set_cursor(model, cell);
    }
}

pub(super) fn set_cursor(model: &mut Model, cell: Cell) {
    if let Some(analysis) = model.screen.as_analysis_mut() {
        analysis.cursor = cell;
    } else if let Some(view) = model.game_view_mut() {
        view.cursor = cell;
    }
}

/// Returns the entries of the menu after a game while it is displayed.
pub(in crate::update) fn after_game_entries(model: &Model) -> Option<Vec<Action>> {
    (model.screen_key_context() == KeyContext::GameOver).then(|| model.after_game_actions())
}

/// Keeps the same entry selected after an update that has changed the entries. Briefly ignores keys, because the player
/// may have pressed them for the previous menu. Called after every message.
pub(in crate::update) fn keep_after_game_selection(model: &mut Model, before: Option<&[Action]>) {
    let (Some(before), Some(after)) = (before, after_game_entries(model)) else {
        return;
    };
    let now = model.now;
    if let Some(view) = model.game_view_mut().filter(|_| before != after) {
        view.menu_selection = view.menu_selection.or(before.first().copied());
        view.menu_changed_at = Some(now);
    }
}

/// Selects the next or the previous entry.
pub(super) fn move_menu_selection(model: &mut Model, down: bool) {
    let selected = neighbour(
        &model.after_game_actions(),
        model.selected_after_game_action(),
        down,
    );
    if let Some(view) = model.game_view_mut() {
        view.menu_selection = selected;
    }
}
