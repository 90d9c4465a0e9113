//! Waiting screen: for a connection or an opponent.

use noughts_protocol::PlayerKind;
use noughts_protocol::Rules;
use noughts_protocol::wire::{ListedSeek, LobbyCounts};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::input::{Action, KeyContext};
use crate::model::layout::Areas;
use crate::model::{ADVICE_AFTER_MS, Model, Session, SessionGoal, Stage, listed_counts};
use crate::ui::text_rows::elapsed;
use crate::ui::theme;
use crate::ui::widgets::ClickTarget;
use crate::ui::widgets::game_picture;
use crate::ui::widgets::header::draw_list_header;
use crate::ui::widgets::list_rows::{self, ListRow};

/// Indentation of the texts, and of the entries below a heading.
const TEXT_X: u16 = 2;
const ENTRY_X: u16 = 4;
/// Maximum width of the list. In a wider list, the time at the right end would be too far from its text at the left
/// end.
const MAX_LIST_COLUMNS: u16 = 78;
/// Minimum height of a body that has a blank row above the list.
const MIN_TALL_ROWS: u16 = 16;

fn list_area(areas: Areas) -> Rect {
    let body = areas.body;
    let top = u16::from(body.height >= MIN_TALL_ROWS);
    let (list, _) = game_picture::split_beside(body);
    let width = list.width.min(MAX_LIST_COLUMNS);
    Rect {
        y: body.y + top,
        height: body.height - top,
        width,
        ..body
    }
}

pub(in crate::ui) fn draw(model: &Model, areas: Areas, buf: &mut Buffer) -> Option<Position> {
    let texts = model.lang().texts();
    let Some(session) = &model.session else {
        return None;
    };
    let title = if model.is_tv {
        texts.tv_title()
    } else {
        texts.waiting_title(is_seek(session))
    };
    draw_list_header(model, areas.header, title, buf);
    let area = list_area(areas);
    list_rows::draw(
        &rows(model, session, (area.width, area.height)),
        model.appearance,
        area,
        buf,
    );
    if let (Some(rules), (_, Some(picture))) = (
        wanted_rules(session),
        game_picture::split_beside(areas.body),
    ) {
        game_picture::draw_framed(model, rules, picture, buf);
    }
    None
}

/// Returns the entry at a position on the screen.
pub(in crate::ui) fn target_at(model: &Model, areas: Areas, at: Position) -> Option<ClickTarget> {
    let area = list_area(areas);
    list_rows::target_at(
        &rows(model, model.session.as_ref()?, (area.width, area.height)),
        area,
        at,
    )
}

/// Returns the rules of the game that the player waits for, if they are known.
fn wanted_rules(session: &Session) -> Option<&Rules> {
    match &session.goal {
        SessionGoal::Seek { rules, .. }
        | SessionGoal::Create { rules, .. }
        | SessionGoal::AcceptSeek { rules, .. } => Some(rules),
        SessionGoal::Continue(game) => Some(&game.rules),
        SessionGoal::Join(_)
        | SessionGoal::Watch(_)
        | SessionGoal::Return(_)
        | SessionGoal::List
        | SessionGoal::Browse => None,
    }
}

fn is_seek(session: &Session) -> bool {
    matches!(
        session.goal,
        SessionGoal::Seek { .. } | SessionGoal::AcceptSeek { .. }
    )
}

/// Returns what the player waits for, how long the player has waited, and what to do meanwhile.
fn rows(model: &Model, session: &Session, (width, height): (u16, u16)) -> Vec<ListRow> {
    let is_tall = height >= MIN_TALL_ROWS - 1;
    let (texts, dim) = (model.lang().texts(), model.appearance.dim());
    let state = match session.stage {
        Stage::Connecting => texts.connecting(&session.server),
        Stage::Seeking => texts.seeking_headline().to_owned(),
        Stage::GoalRequested | Stage::Ready if model.is_tv && session.lobby.is_some() => {
            texts.no_running_game().to_owned()
        }
        Stage::GoalRequested | Stage::Ready | Stage::Reconnecting { .. } | Stage::Terminated(_) => {
            texts.waiting_for_opponent().to_owned()
        }
    };
    let waited_ms = session
        .seeking_since
        .filter(|_| session.stage == Stage::Seeking);
    let waited_ms = waited_ms.map(|since| model.now.saturating_sub(since));
    let time = waited_ms.map(elapsed).unwrap_or_default();
    let mut rows =
        vec![ListRow::text(TEXT_X, state, theme::bold()).with_right(time, theme::bold())];
    rows.extend(
        goal_rows(model, session, width)
            .into_iter()
            .take(if is_tall { usize::MAX } else { 1 }),
    );
    let Some(waited_ms) = waited_ms else {
        return rows;
    };
    let counts = session
        .lobby
        .as_ref()
        .map(|lobby| listed_counts(&lobby.view));
    let entries = entry_rows(model, counts);
    let seeks = seek_rows(model, session, width);
    let advice = if has_similar_seeks(session) {
        texts.similar_seeks()
    } else {
        texts.nobody_waits()
    };
    if !is_tall {
        // Other players and actions are more important than advice.
        rows.extend(seeks);
        rows.extend(entries);
        if waited_ms >= ADVICE_AFTER_MS {
            rows.extend(ListRow::wrapped(TEXT_X, advice, width, dim));
        }
        return rows;
    }
    rows.push(ListRow::blank());
    if waited_ms >= ADVICE_AFTER_MS {
        rows.extend(ListRow::wrapped(TEXT_X, advice, width, Style::new()));
    }
    rows.extend(ListRow::wrapped(
        TEXT_X,
        texts.game_starts_by_itself(),
        width,
        Style::new(),
    ));
    if !seeks.is_empty() {
        rows.push(ListRow::blank());
        rows.extend(seeks);
    }
    rows.extend([
        ListRow::blank(),
        ListRow::text(TEXT_X, texts.meanwhile(), theme::bold()),
    ]);
    rows.extend(entries);
    rows
}

/// Returns whether other players of the wanted kind look for a game by the same rules. The server pairs them only if
/// clock and seats agree, too. The list also contains the player's own seek.
fn has_similar_seeks(session: &Session) -> bool {
    let SessionGoal::Seek {
        rules, opponents, ..
    } = session.goal
    else {
        return false;
    };
    let seeks = session.lobby.iter().flat_map(|lobby| &lobby.view.seeks);
    let is_similar = |seek: &&ListedSeek| {
        let is_wanted = opponents.is_none_or(|wanted| wanted == seek.open.player.kind);
        seek.open.rules == rules && is_wanted && seek.open.admits(PlayerKind::Person)
    };
    let own_count = usize::from(opponents != Some(PlayerKind::Bot));
    seeks.filter(is_similar).count() > own_count
}

/// Returns the other players' open seeks, and the keys that accept a seek.
fn seek_rows(model: &Model, session: &Session, width: u16) -> Vec<ListRow> {
    let (texts, dim) = (model.lang().texts(), model.appearance.dim());
    let others = session.other_seeks();
    if others.is_empty() {
        return Vec::new();
    }
    let selected = session.selected_seek().map(|seek| seek.seek);
    let select = selected.is_none().then_some(Action::Next);
    let keys: Vec<_> = select
        .into_iter()
        .chain([Action::Choose])
        .filter_map(|action| model.keymap.first_key(KeyContext::Waiting, action))
        .map(|key| texts.key(key))
        .collect();
    let hint = format!("{} {}", keys.join(" "), texts.accepts_seek());
    let mut rows =
        vec![ListRow::text(TEXT_X, texts.others_waiting(), theme::bold()).with_right(hint, dim)];
    let game_x = TEXT_X + width.saturating_sub(TEXT_X) / 3;
    let clock_x = TEXT_X + width.saturating_sub(TEXT_X) * 2 / 3;
    for (index, seek) in others.into_iter().enumerate() {
        let is_selected = Some(seek.seek) == selected;
        let style = if is_selected {
            theme::bold()
        } else {
            Style::new()
        };
        let clock = seek.open.clock.map(|clock| clock.to_string());
        let since = session
            .lobby
            .as_ref()
            .and_then(|lobby| lobby.age_ms(seek.since, model.now));
        rows.push(
            ListRow::entry(ClickTarget::Entry(index), is_selected)
                .with_text(TEXT_X, texts.tagged_player(&seek.open.player), style)
                .with_text(game_x, texts.short_rules(&seek.open.rules), style)
                .with_text(
                    clock_x,
                    clock.unwrap_or_else(|| texts.time_control(None)),
                    style,
                )
                .with_right(since.map(elapsed).unwrap_or_default(), dim),
        );
    }
    rows
}

/// Returns what the player can do while waiting.
fn entry_rows(model: &Model, counts: Option<LobbyCounts>) -> Vec<ListRow> {
    let texts = model.lang().texts();
    let mut rows = Vec::new();
    for action in [Action::InviteBot, Action::Watch, Action::ShowInvite] {
        let Some(key) = model.keymap.letter_key(KeyContext::Waiting, action) else {
            continue;
        };
        let who = counts
            .filter(|_| action == Action::Watch)
            .map(|counts| texts.who_else(counts));
        rows.push(
            ListRow::entry(ClickTarget::Action(action), false)
                .with_text(ENTRY_X, texts.key(key), theme::bold())
                .with_text(
                    ENTRY_X + 3,
                    texts.action(action, KeyContext::Waiting),
                    Style::new(),
                )
                .with_right(who.unwrap_or_default(), model.appearance.dim()),
        );
    }
    rows
}

/// Describes the game that the player waits for.
fn goal_rows(model: &Model, session: &Session, width: u16) -> Vec<ListRow> {
    let texts = model.lang().texts();
    let lines = match &session.goal {
        SessionGoal::Seek { rules, clock, .. }
        | SessionGoal::Create { rules, clock, .. }
        | SessionGoal::AcceptSeek { rules, clock, .. } => {
            vec![
                format!("{}, {}", texts.rules(rules), texts.time_control(*clock)),
                texts.rule_line(rules),
            ]
        }
        SessionGoal::Join(room) | SessionGoal::Watch(room) => vec![room.to_string()],
        SessionGoal::Continue(game) => vec![texts.saved_game(game)],
        SessionGoal::Return(room) => vec![texts.game_on_another_device(room)],
        SessionGoal::List | SessionGoal::Browse => Vec::new(),
    };
    let style = |index: usize| {
        if index == 0 {
            Style::new()
        } else {
            model.appearance.dim()
        }
    };
    let rows =
        |(index, line): (usize, String)| ListRow::wrapped(TEXT_X, &line, width, style(index));
    lines.into_iter().enumerate().flat_map(rows).collect()
}
