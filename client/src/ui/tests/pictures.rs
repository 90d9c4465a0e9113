//! The SVG pictures for the documentation, in `client/pictures`.
//!
//! Each picture shows a screen as [`super::super::draw`] draws it, so that a page never shows a screen that does not
//! exist. `NOUGHTS_PICTURES=write cargo test -p noughts --lib pictures` writes the files; without the variable the test
//! fails when a file differs from the screen.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

use super::*;

/// Width of a column in pixels: 0.6 em, the advance width of nearly all monospaced fonts.
const COLUMN: f32 = 9.0;
const ROW: f32 = 20.0;
const FONT_SIZE: f32 = 15.0;
/// Distance of the baseline from the top of a row.
const BASELINE: f32 = 15.0;
const MARGIN: f32 = 16.0;

/// The picture is a dark window with a border, so that it suits light and dark pages.
const BACKGROUND: &str = "#1b1f27";
const BORDER: &str = "#59626f";
const FOREGROUND: &str = "#dde1e8";
const DIM: &str = "#98a1ae";

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the theme uses few of the colours"
)]
fn foreground(cell: &Cell) -> &'static str {
    match cell.fg {
        Color::Reset if cell.modifier.contains(Modifier::DIM) => DIM,
        Color::Reset => FOREGROUND,
        Color::Cyan => "#56c8e8",
        Color::Yellow => "#f0c05a",
        Color::Green => "#8fd66b",
        Color::LightRed => "#ff7b72",
        other => panic!("{other} has no value in the palette of the pictures"),
    }
}

/// Returns a cell's text colour, its background colour, and whether it is bold.
fn presentation(cell: &Cell) -> (&'static str, &'static str, bool) {
    let (text, ground) = (foreground(cell), BACKGROUND);
    let (text, ground) = if cell.modifier.contains(Modifier::REVERSED) {
        (ground, text)
    } else {
        (text, ground)
    };
    (text, ground, cell.modifier.contains(Modifier::BOLD))
}

/// Returns the strokes of a box-drawing character towards the left, right, upper and lower edge: none, light or double.
fn arms(symbol: &str) -> Option<[u8; 4]> {
    Some(match symbol {
        "\u{2500}" => [1, 1, 0, 0],
        "\u{2502}" => [0, 0, 1, 1],
        "\u{250c}" | "\u{256d}" => [0, 1, 0, 1],
        "\u{2510}" | "\u{256e}" => [1, 0, 0, 1],
        "\u{2514}" | "\u{2570}" => [0, 1, 1, 0],
        "\u{2518}" | "\u{256f}" => [1, 0, 1, 0],
        "\u{251c}" => [0, 1, 1, 1],
        "\u{2524}" => [1, 0, 1, 1],
        "\u{252c}" => [1, 1, 0, 1],
        "\u{2534}" => [1, 1, 1, 0],
        "\u{253c}" => [1, 1, 1, 1],
        "\u{2550}" => [2, 2, 0, 0],
        "\u{2551}" => [0, 0, 2, 2],
        "\u{2554}" => [0, 2, 0, 2],
        "\u{2557}" => [2, 0, 0, 2],
        "\u{255a}" => [0, 2, 2, 0],
        "\u{255d}" => [2, 0, 2, 0],
        "\u{255f}" => [0, 1, 2, 2],
        "\u{2562}" => [1, 0, 2, 2],
        "\u{2564}" => [2, 2, 0, 1],
        "\u{2567}" => [2, 2, 1, 0],
        _ => return None,
    })
}

/// Returns strokes that replace a box-drawing character, because a font would leave gaps between the rows.
fn box_strokes(symbol: &str, x: f32, y: f32) -> Option<String> {
    const OFFSET: f32 = 1.5;
    let [left, right, up, down] = arms(symbol)?;
    let (middle, center) = (x + COLUMN / 2.0, y + ROW / 2.0);
    if matches!(symbol, "\u{256d}" | "\u{256e}" | "\u{2570}" | "\u{256f}") {
        let (end_x, end_y) = (
            if left > 0 { x } else { x + COLUMN },
            if up > 0 { y } else { y + ROW },
        );
        return Some(format!(
            "M{end_x} {center}Q{middle} {center} {middle} {end_y}"
        ));
    }
    let offsets = |arm: u8| -> &'static [f32] {
        match arm {
            0 => &[],
            1 => &[0.0],
            _ => &[-OFFSET, OFFSET],
        }
    };
    // The strokes of a double corner reach to the outer line.
    let reach = if left.max(right) == 2 && up.max(down) == 2 {
        OFFSET
    } else {
        0.0
    };
    let mut path = String::new();
    for (arm, from, to) in [
        (left, middle + reach, x),
        (right, middle - reach, x + COLUMN),
    ] {
        for offset in offsets(arm) {
            write!(path, "M{from} {}H{to}", center + offset).unwrap();
        }
    }
    for (arm, from, to) in [(up, center + reach, y), (down, center - reach, y + ROW)] {
        for offset in offsets(arm) {
            write!(path, "M{} {from}V{to}", middle + offset).unwrap();
        }
    }
    Some(path)
}

fn escape_xml(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Renders a screen as an SVG document on a regular grid of cells.
fn render_svg(title: &str, buffer: &Buffer) -> String {
    let (width, height) = (buffer.area.width, buffer.area.height);
    let (outer_width, outer_height) = (
        f32::from(width) * COLUMN + 2.0 * MARGIN,
        f32::from(height) * ROW + 2.0 * MARGIN,
    );
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{outer_width}\" height=\"{outer_height}\" \
         viewBox=\"0 0 {outer_width} {outer_height}\" role=\"img\">\n<title>{}</title>\n\
         <rect x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\" fill=\"{BACKGROUND}\" stroke=\"{BORDER}\"/>\n\
         <g font-family=\"ui-monospace, SFMono-Regular, Menlo, 'DejaVu Sans Mono', 'Liberation Mono', monospace\" \
         font-size=\"{FONT_SIZE}\">\n",
        escape_xml(title),
        outer_width - 1.0,
        outer_height - 1.0,
    );
    let mut strokes: BTreeMap<&str, String> = BTreeMap::new();
    for row in 0..height {
        let top = MARGIN + f32::from(row) * ROW;
        let mut column = 0;
        while column < width {
            let left = MARGIN + f32::from(column) * COLUMN;
            let first = &buffer[(column, row)];
            let style = presentation(first);
            let (text_color, ground, is_bold) = style;
            if let Some(path) = box_strokes(first.symbol(), left, top) {
                strokes.entry(text_color).or_default().push_str(&path);
                column += 1;
                continue;
            }
            // Adjacent cells with the same presentation become one element.
            let (mut run, start) = (String::new(), column);
            while column < width {
                let cell = &buffer[(column, row)];
                if presentation(cell) != style || box_strokes(cell.symbol(), left, top).is_some() {
                    break;
                }
                run.push_str(cell.symbol());
                column += (cell.symbol().width() as u16).max(1);
            }
            if ground != BACKGROUND {
                let run_width = f32::from(column - start) * COLUMN;
                writeln!(
                    svg,
                    "<rect x=\"{left}\" y=\"{top}\" width=\"{run_width}\" height=\"{ROW}\" fill=\"{ground}\"/>"
                )
                .unwrap();
            }
            let blank = run.width() - run.trim_start().width();
            let text = run.trim();
            if text.is_empty() {
                continue;
            }
            // `textLength` keeps the columns in place if the font is a little narrower or wider.
            writeln!(
                svg,
                "<text x=\"{}\" y=\"{}\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{text_color}\"{} \
                 xml:space=\"preserve\">{}</text>",
                left + blank as f32 * COLUMN,
                top + BASELINE,
                text.width() as f32 * COLUMN,
                if is_bold { " font-weight=\"bold\"" } else { "" },
                escape_xml(text),
            )
            .unwrap();
        }
    }
    for (color, path) in strokes {
        writeln!(svg, "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\"/>").unwrap();
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

/// Plays these moves against Bob with a clock. Each move takes some seconds.
fn played(rules: &str, clock: &str, cells: &[&str]) -> (TestPlayer, TestRoom) {
    let mut host = TestRoom::in_game(rules, Some(clock));
    let mut player = TestPlayer::seated(Mode::Full, &host);
    for (index, cell) in cells.iter().enumerate() {
        let thinking_ms = [5_300, 11_700, 8_900, 17_400][index % 4];
        host.advance(thinking_ms);
        player.model.now += thinking_ms;
        player.receive_message(host.play(cell));
    }
    player.receive_message(notice_message(Notice::Lag {
        ms: [Some(23), Some(61)],
    }));
    player.receive_message(notice_message(Notice::Spectators { count: 2 }));
    (player, host)
}

fn home_screen() -> TestPlayer {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.press(&[Key::Down]);
    player
}

fn gomoku_screen() -> TestPlayer {
    let cells = [
        "h8", "h9", "i7", "g8", "j8", "i8", "h7", "j7", "h6", "h5", "g6", "i6", "j9", "k10", "g9",
        "k9", "f10", "e11",
    ];
    let (mut player, _) = played("gomoku", "10+5", &cells);
    player.press(&[Key::Right, Key::Right, Key::Up, Key::Up]);
    player
}

fn connect_four_screen() -> TestPlayer {
    let cells = [
        "e1", "d1", "d1", "f1", "d1", "d1", "e1", "c1", "c1", "f1", "e1", "e1", "b1", "b1", "e1",
        "e1", "c1", "b1", "b1",
    ];
    let (mut player, mut host) = played("connect4", "3+2", &cells);
    let outcome = host
        .game
        .position()
        .outcome()
        .expect("the moves complete four in a row");
    let left = host.state().left;
    player.receive_message(host.apply_event(Event::Ended { outcome, left }));
    player
}

fn qubic_screen() -> TestPlayer {
    let cells = [
        "b2-2", "c2-2", "c3-3", "a1-1", "b3-2", "b1-2", "c2-3", "d4-4",
    ];
    let (mut player, _) = played("qubic", "5+3", &cells);
    player.type_letters("g");
    player
}

/// Compares a picture with the committed file. If `NOUGHTS_PICTURES` is set, writes the file instead.
fn check_picture(name: &str, title: &str, height: u16, mut player: TestPlayer) {
    let size = (80, height);
    player.model.size = size;
    let svg = render_svg(title, &render(&player.model, size));
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("pictures")
        .join(name);
    if std::env::var_os("NOUGHTS_PICTURES").is_some() {
        fs::write(&path, &svg).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == svg,
        "client/pictures/{name} differs from the screen; write it again with \
         NOUGHTS_PICTURES=write cargo test -p noughts --lib pictures"
    );
}

#[test]
fn pictures_show_the_current_screens() {
    check_picture("home.svg", "The home screen of noughts", 16, home_screen());
    check_picture(
        "qubic.svg",
        "A game of Qubic in noughts",
        24,
        qubic_screen(),
    );
    check_picture(
        "gomoku.svg",
        "A game of Gomoku in noughts",
        24,
        gomoku_screen(),
    );
    check_picture(
        "connect-four.svg",
        "A finished game of Connect Four in noughts",
        24,
        connect_four_screen(),
    );
}
