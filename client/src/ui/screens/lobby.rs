//! Lobby screen: open seeks and public rooms, in columns.

use noughts_protocol::wire::{OpenSeek, RoomListing};
use noughts_protocol::{Phase, Seat};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::i18n::Texts;
use crate::input::{Action, KeyContext};
use crate::model::layout::{self, Areas};
use crate::model::{LobbyScreen, Model, Session};
use crate::ui::drawing::columns;
use crate::ui::text_rows::elapsed;
use crate::ui::theme;
use crate::ui::widgets::ClickTarget;
use crate::ui::widgets::header::draw_list_header;
use crate::ui::widgets::list_rows::{self, ListRow};
use crate::ui::widgets::live_game::{self, LiveGame};

/// Minimum widths of a body with clocks, and with numbers.
const MIN_WIDE_COLUMNS: u16 = 76;
const MIN_MEDIUM_COLUMNS: u16 = 56;
/// Maximum width of the lists.
const MAX_LIST_COLUMNS: u16 = 100;

/// First column of each text; `None` for a hidden text.
struct LobbyGrid {
    player: u16,
    game: u16,
    clock: Option<u16>,
    /// The mark that the player would have.
    seat: Option<u16>,
    /// The number of spectators in a room.
    spectators: Option<u16>,
    has_status: bool,
}

impl LobbyGrid {
    fn new(width: u16) -> LobbyGrid {
        let is_wide = width >= MIN_WIDE_COLUMNS;
        let game = match width {
            MIN_WIDE_COLUMNS.. => width * 2 / 5,
            MIN_MEDIUM_COLUMNS.. => width / 2 - 2,
            _ => width / 2,
        };
        let at = |offset: u16| is_wide.then_some(game + offset);
        LobbyGrid {
            player: 2,
            game,
            clock: at(19),
            seat: at(27),
            spectators: at(27),
            has_status: width >= MIN_MEDIUM_COLUMNS,
        }
    }
}

fn list_area(areas: Areas) -> Rect {
    let (list, _) = layout::split_beside(areas.body);
    Rect {
        width: list.width.min(MAX_LIST_COLUMNS),
        ..list
    }
}

pub(in crate::ui) fn draw(
    model: &Model,
    lobby: &LobbyScreen,
    areas: Areas,
    buf: &mut Buffer,
) -> Option<Position> {
    let texts = model.lang().texts();
    let host = model
        .session
        .as_ref()
        .map(|session| session.server.host())
        .unwrap_or_default();
    let counts = lobby
        .counts
        .map_or_else(String::new, |counts| texts.lobby_counts(counts));
    let (title, available) = (
        texts.lobby_title(host),
        areas.header.width.saturating_sub(16),
    );
    let full = format!("{title}   {counts}");
    draw_list_header(
        model,
        areas.header,
        if columns(&full) <= available {
            &full
        } else {
            &title
        },
        buf,
    );
    let area = list_area(areas);
    list_rows::draw(&rows(model, lobby, area.width), model.appearance, area, buf);
    if let (_, Some(beside)) = layout::split_beside(areas.body) {
        draw_beside(model, lobby, beside, buf);
    }
    None
}

/// Draws the selected game: the running game, or the empty board of a game that has not begun.
fn draw_beside(model: &Model, lobby: &LobbyScreen, area: Rect, buf: &mut Buffer) {
    let texts = model.lang().texts();
    if let Some(seek) = lobby.selected_seek() {
        let OpenSeek { rules, clock, .. } = &seek.open;
        let waiting = texts.tagged_player(&seek.open.player);
        let below = live_game::draw_facts(model, rules, *clock, &waiting, area, buf);
        return live_game::draw_empty_board(model, rules, below, buf);
    }
    let Some(room) = lobby.selected_room() else {
        return;
    };
    let game = model.preview.game.as_ref();
    if let Some(game) = game.filter(|game| game.is_in_room(room.room)) {
        return LiveGame::beside_list().draw(game, area, buf);
    }
    let players = room.players.iter().flatten();
    let players: Vec<String> = players.map(|player| texts.tagged_player(player)).collect();
    let players = players.join(" - ");
    let below = live_game::draw_facts(model, &room.rules, room.clock, &players, area, buf);
    // The board of a game in progress is not drawn yet, because it arrives soon.
    if room.phase == Phase::Waiting {
        live_game::draw_empty_board(model, &room.rules, below, buf);
    }
}

/// Returns the seek or the room at a position on the screen.
pub(in crate::ui) fn target_at(
    model: &Model,
    lobby: &LobbyScreen,
    areas: Areas,
    at: Position,
) -> Option<ClickTarget> {
    let area = list_area(areas);
    list_rows::target_at(&rows(model, lobby, area.width), area, at)
}

fn rows(model: &Model, lobby: &LobbyScreen, width: u16) -> Vec<ListRow> {
    let texts = model.lang().texts();
    let rooms = lobby.rooms.as_deref().unwrap_or_default();
    if lobby.rooms.is_some() && lobby.row_count() == 0 {
        let mut rows = vec![
            ListRow::text(2, texts.empty_lobby(), theme::bold()),
            ListRow::blank(),
        ];
        for (action, text) in [
            (Action::InviteBot, texts.offer_bot()),
            (Action::NewRoom, texts.offer_invitation()),
        ] {
            if let Some(key) = model.keymap.letter_key(KeyContext::Lobby, action) {
                let target = ClickTarget::Action(action);
                rows.push(ListRow::offer(2, &texts.key(key), target, text));
            }
        }
        return rows;
    }
    let grid = LobbyGrid::new(width);
    let mut rows = Vec::new();
    if !lobby.seeks.is_empty() {
        rows.push(title_row(texts.seeks_title(), lobby.seeks.len()));
        rows.push(seek_headings(model, &grid));
        rows.extend((0..lobby.seeks.len()).map(|index| seek_row(model, lobby, index, &grid)));
        rows.push(ListRow::blank());
    }
    if !rooms.is_empty() {
        rows.push(title_row(texts.rooms_title(), rooms.len()));
        rows.push(room_headings(model, &grid));
        for (index, listing) in rooms.iter().enumerate() {
            let index = lobby.seeks.len() + index;
            let row = room_row(texts, listing, index, lobby.is_selected(index), &grid);
            rows.push(row.in_view_if(lobby.is_in_view(index)));
        }
    }
    rows
}

fn title_row(title: &str, count: usize) -> ListRow {
    ListRow::text(0, format!("{title}  {count}"), theme::bold())
}

fn seek_headings(model: &Model, grid: &LobbyGrid) -> ListRow {
    let dim = model.appearance.dim();
    let [player, game, clock, seat, waiting] = model.lang().texts().seek_columns();
    let mut row = ListRow::text(grid.player, player, dim).with_text(grid.game, game, dim);
    for (x, heading) in [(grid.clock, clock), (grid.seat, seat)] {
        row = x
            .into_iter()
            .fold(row, |row, x| row.with_text(x, heading, dim));
    }
    row.with_right(waiting, dim)
}

fn seek_row(model: &Model, lobby: &LobbyScreen, index: usize, grid: &LobbyGrid) -> ListRow {
    let texts = model.lang().texts();
    let (seek, is_selected) = (&lobby.seeks[index], lobby.is_selected(index));
    let style = row_style(is_selected);
    let age = seek.age_ms(model.now).map(elapsed).unwrap_or_default();
    let clock = seek
        .open
        .clock
        .map_or_else(|| "-".to_owned(), |clock| clock.to_string());
    let own_seek = model.session.as_ref().and_then(Session::own_seek);
    let name = texts.tagged_player(&seek.open.player);
    let player = match seek.number.is_some() && seek.number == own_seek {
        true => format!("{name} ({})", texts.panel_you()),
        false => name,
    };
    // The player gets the mark that the seeker has not chosen.
    let seat = seek
        .open
        .seat
        .map_or(texts.random_seat(), |seat| texts.mark(seat.other()));
    let mut row = ListRow::entry(ClickTarget::Entry(index), is_selected)
        .in_view_if(lobby.is_in_view(index))
        .with_text(grid.player, player, style)
        .with_text(grid.game, texts.short_rules(&seek.open.rules), style);
    for (x, text) in [(grid.clock, clock.as_str()), (grid.seat, seat)] {
        row = x
            .into_iter()
            .fold(row, |row, x| row.with_text(x, text, style));
    }
    row.with_right(age, style)
}

fn room_headings(model: &Model, grid: &LobbyGrid) -> ListRow {
    let dim = model.appearance.dim();
    let [players, game, clock, spectators, status] = model.lang().texts().room_columns();
    let mut row = ListRow::text(grid.player, players, dim).with_text(grid.game, game, dim);
    for (x, heading) in [(grid.clock, clock), (grid.spectators, spectators)] {
        row = x
            .into_iter()
            .fold(row, |row, x| row.with_text(x, heading, dim));
    }
    if grid.has_status {
        row.with_right(status, dim)
    } else {
        row
    }
}

fn room_row(
    texts: Texts,
    listing: &RoomListing,
    index: usize,
    is_selected: bool,
    grid: &LobbyGrid,
) -> ListRow {
    let style = row_style(is_selected);
    let [x, o] = Seat::ALL.map(|seat| {
        let player = listing.players[seat.index()].as_ref();
        player.map_or_else(
            || texts.free_seat().to_owned(),
            |player| texts.player(player),
        )
    });
    let clock = listing
        .clock
        .map_or_else(|| "-".to_owned(), |clock| clock.to_string());
    let mut row = ListRow::entry(ClickTarget::Entry(index), is_selected)
        .with_text(grid.player, format!("{x} - {o}"), style)
        .with_text(grid.game, texts.short_rules(&listing.rules), style);
    let numbers = [
        (grid.clock, clock),
        (grid.spectators, listing.spectators.to_string()),
    ];
    for (x, text) in numbers {
        row = x
            .into_iter()
            .fold(row, |row, x| row.with_text(x, text.clone(), style));
    }
    if grid.has_status {
        row.with_right(texts.phase(listing.phase), style)
    } else {
        row
    }
}

fn row_style(is_selected: bool) -> Style {
    if is_selected {
        theme::bold()
    } else {
        Style::new()
    }
}
