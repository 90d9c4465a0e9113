//! Contrast of the colours on common terminal palettes: the light and dark palettes of xterm, Solarized, GNOME and
//! Windows.

use ratatui::style::Style;

use super::*;

/// A terminal's 16 colours, text colour and background.
struct Palette {
    name: &'static str,
    text: u32,
    background: u32,
    /// The colours that the themes use.
    colors: &'static [(Color, u32)],
}

const XTERM: &[(Color, u32)] = &[
    (Color::Red, 0xcd0000),
    (Color::Green, 0x00cd00),
    (Color::Yellow, 0xcdcd00),
    (Color::Blue, 0x0000ee),
    (Color::Magenta, 0xcd00cd),
    (Color::Cyan, 0x00cdcd),
    (Color::LightRed, 0xff0000),
];
const SOLARIZED: &[(Color, u32)] = &[
    (Color::Red, 0xdc322f),
    (Color::Green, 0x859900),
    (Color::Yellow, 0xb58900),
    (Color::Blue, 0x268bd2),
    (Color::Magenta, 0xd33682),
    (Color::Cyan, 0x2aa198),
    (Color::LightRed, 0xcb4b16),
];
const GNOME: &[(Color, u32)] = &[
    (Color::Red, 0xc01c28),
    (Color::Green, 0x26a269),
    (Color::Yellow, 0xa2734c),
    (Color::Blue, 0x12488b),
    (Color::Magenta, 0xa347ba),
    (Color::Cyan, 0x2aa1b3),
    (Color::LightRed, 0xf66151),
];
const CAMPBELL: &[(Color, u32)] = &[
    (Color::Red, 0xc50f1f),
    (Color::Green, 0x13a10e),
    (Color::Yellow, 0xc19c00),
    (Color::Blue, 0x0037da),
    (Color::Magenta, 0x881798),
    (Color::Cyan, 0x3a96dd),
    (Color::LightRed, 0xe74856),
];
const ONE_HALF: &[(Color, u32)] = &[
    (Color::Red, 0xe45649),
    (Color::Green, 0x50a14f),
    (Color::Yellow, 0xc18401),
    (Color::Blue, 0x0184bc),
    (Color::Magenta, 0xa626a4),
    (Color::Cyan, 0x0997b3),
    (Color::LightRed, 0xe06c75),
];

const DARK: [Palette; 4] = [
    Palette {
        name: "xterm dark",
        text: 0xe5e5e5,
        background: 0x000000,
        colors: XTERM,
    },
    Palette {
        name: "Solarized dark",
        text: 0x839496,
        background: 0x002b36,
        colors: SOLARIZED,
    },
    Palette {
        name: "GNOME dark",
        text: 0xd0cfcc,
        background: 0x171421,
        colors: GNOME,
    },
    Palette {
        name: "Campbell",
        text: 0xcccccc,
        background: 0x0c0c0c,
        colors: CAMPBELL,
    },
];
const LIGHT: [Palette; 4] = [
    Palette {
        name: "xterm light",
        text: 0x000000,
        background: 0xffffff,
        colors: XTERM,
    },
    Palette {
        name: "Solarized light",
        text: 0x657b83,
        background: 0xfdf6e3,
        colors: SOLARIZED,
    },
    Palette {
        name: "GNOME light",
        text: 0x171421,
        background: 0xffffff,
        colors: GNOME,
    },
    Palette {
        name: "One Half Light",
        text: 0x383a42,
        background: 0xfafafa,
        colors: ONE_HALF,
    },
];

/// Minimum contrast ratios of marks and signs, and of text. Text needs no higher ratio than the palette's own text has.
const MIN_SIGN_RATIO: f64 = 3.0;
const MIN_TEXT_RATIO: f64 = 4.5;

/// Returns the relative luminance according to WCAG 2.
fn luminance(color: u32) -> f64 {
    let channel = |shift: u32| {
        let value = f64::from(color >> shift & 0xff) / 255.0;
        if value <= 0.040_45 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0)
}

fn ratio(one: u32, other: u32) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// Screens that together use every style of a game.
fn screens() -> Vec<TestPlayer> {
    let (mut won, mut host) = playing("3x3:3", Some("10s+0"), &["b2", "a1", "c1", "b1", "a3"]);
    let outcome = host.game.position().outcome().unwrap();
    won.receive_message(host.apply_event(Event::Ended {
        outcome,
        left: Some([4000, 3000]),
    }));
    let (mut lost, mut host) = playing("3x3:3", None, &["b2", "a1", "c1", "b1"]);
    lost.receive_message(host.end(Outcome::Resigned { winner: Seat::O }));
    let (mut own_turn, _) = playing("qubic", Some("10s+0"), &["b2-2", "c2-2"]);
    own_turn.type_letters("g");
    own_turn.advance(4000);
    let (mut offer, mut host) = playing("connect4", None, &["d1"]);
    offer.receive_message(host.offer(Seat::O, Offer::Draw));
    let (mut absent, _) = playing("gomoku", None, &["h8"]);
    absent.receive_message(opponent_presence(Presence::Disconnected, Some(45_000)));
    let (mut pending, _) = playing("3x3:3", None, &["b2", "a1"]);
    pending.type_letters("3");
    let (mut offline, _) = playing("3x3:3", None, &["b2"]);
    offline.disconnect(3, 4);
    vec![won, lost, own_turn, offer, absent, pending, offline]
}

/// Renders all screens in a theme, and checks each coloured cell.
fn check_cells(theme: Theme, check: impl Fn(&str, &ratatui::buffer::Cell)) {
    for mut player in screens() {
        player.model.size = (80, 24);
        player.model.appearance = Appearance {
            theme,
            ..APPEARANCES[0]
        };
        let buffer = render(&player.model, (80, 24));
        let text = buffer_text(&buffer);
        let mut colors: Vec<Color> = buffer.content().iter().map(|cell| cell.fg).collect();
        colors.retain(|color| *color != Color::Reset);
        colors.sort_by_key(|color| format!("{color}"));
        colors.dedup();
        assert!(colors.len() <= 4, "{colors:?} on\n{text}");
        for cell in buffer.content() {
            assert_eq!(cell.bg, Color::Reset, "a background colour on\n{text}");
            if cell.fg != Color::Reset {
                assert!(
                    !cell.modifier.contains(Modifier::BOLD),
                    "a bold colour on\n{text}"
                );
                check(&text, cell);
            }
        }
    }
}

#[test]
fn every_colour_is_readable_on_all_palettes() {
    for (theme, palettes) in [(Theme::Dark, DARK), (Theme::Light, LIGHT)] {
        for palette in palettes {
            let own = ratio(palette.text, palette.background);
            check_cells(theme, |screen, cell| {
                let value = palette
                    .colors
                    .iter()
                    .find(|(color, _)| *color == cell.fg)
                    .map(|(_, value)| *value);
                let value =
                    value.unwrap_or_else(|| panic!("{} has no use for {}", palette.name, cell.fg));
                let letter = cell.symbol().chars().next().unwrap_or(' ');
                // Marks and the values of cells are signs.
                let is_text = letter.is_alphabetic() && !"XOxoWL".contains(letter);
                let min = if is_text {
                    MIN_TEXT_RATIO.min(own)
                } else {
                    MIN_SIGN_RATIO
                };
                // Reversed text has the same contrast ratio.
                let reached = ratio(value, palette.background);
                assert!(
                    reached >= min,
                    "{}: {} of {letter:?} reaches {reached:.2} of {min:.2} on\n{screen}",
                    palette.name,
                    cell.fg
                );
            });
        }
    }
}

#[test]
fn red_is_only_danger_and_light_has_no_bright_colours() {
    check_cells(Theme::Dark, |screen, cell| {
        if cell.fg == Color::LightRed {
            assert!(
                matches!(cell.symbol(), "!" | "-" | "L" | " "),
                "{:?} is red on\n{screen}",
                cell.symbol()
            );
        }
        assert!(
            matches!(
                cell.fg,
                Color::Cyan | Color::Yellow | Color::Green | Color::LightRed
            ),
            "{} on\n{screen}",
            cell.fg
        );
    });
    check_cells(Theme::Light, |screen, cell| {
        assert!(
            matches!(cell.fg, Color::Blue | Color::Magenta | Color::Red),
            "{} on\n{screen}",
            cell.fg
        );
    });
}

#[test]
fn the_theme_follows_the_background() {
    let color_of_x = |light: bool, color: bool| {
        let (mut player, _) = playing("3x3:3", None, &["b2"]);
        player.model.appearance = Appearance {
            color,
            theme: Theme::Auto,
            ..APPEARANCES[0]
        };
        player.feed(crate::update::Msg::Input(
            crate::input::Input::LightBackground(light),
        ));
        let buffer = render(&player.model, (80, 24));
        let mark = buffer
            .content()
            .iter()
            .rev()
            .find(|cell| cell.symbol() == "X");
        mark.map(|cell| cell.fg)
    };
    assert_eq!(color_of_x(false, true), Some(Color::Cyan));
    assert_eq!(color_of_x(true, true), Some(Color::Blue));
    assert_eq!(color_of_x(true, false), Some(Color::Reset));
}

/// Returns the RGB value of the palette's colours 16 to 255.
fn palette_value(color: Option<Color>) -> u32 {
    let Some(Color::Indexed(index)) = color else {
        panic!("{color:?} is not a colour of the palette");
    };
    match index {
        0..16 => panic!("the value of {index} depends on the terminal"),
        16..232 => {
            let level =
                |step: u8| [0, 0x5f, 0x87, 0xaf, 0xd7, 0xff][usize::from((index - 16) / step % 6)];
            level(36) << 16 | level(6) << 8 | level(1)
        }
        232.. => (8 + 10 * u32::from(index - 232)) * 0x01_0101,
    }
}

#[test]
fn every_ink_is_readable_on_its_ground() {
    for theme in [Theme::Dark, Theme::Light] {
        let surfaces = Appearance { theme, ..SURFACES };
        let check = |name: &str, ink: u32, ground: u32, min: f64| {
            let reached = ratio(ink, ground);
            assert!(
                reached >= min,
                "{theme:?} {name} reaches {reached:.2} of {min}"
            );
        };
        let check_style = |name: &str, style: Style, min: f64| {
            check(name, palette_value(style.fg), palette_value(style.bg), min);
        };
        let texts = [
            ("ground", surfaces.board_ground()),
            ("card", surfaces.card()),
            ("dim text on a card", surfaces.card_dim()),
            ("active card", surfaces.active_card()),
            ("dim text on the active card", surfaces.active_card_dim()),
            ("badge", surfaces.your_move_badge()),
            ("badge of a defeat", surfaces.defeat_badge()),
            ("badge of a draw", surfaces.draw_badge()),
        ];
        for (name, style) in texts {
            check_style(name, style, MIN_TEXT_RATIO);
        }
        check_style("lines", surfaces.board_line(), MIN_SIGN_RATIO);
        let ground = palette_value(surfaces.board_ground().bg);
        for seat in Seat::ALL {
            for (name, stone) in [
                ("stone", surfaces.stone(seat)),
                ("last stone", surfaces.last_stone(seat)),
                ("winning stone", surfaces.winning_stone(seat)),
                ("faded stone", surfaces.faded_stone(seat)),
            ] {
                check_style(name, stone, MIN_TEXT_RATIO);
                check(name, palette_value(stone.bg), ground, MIN_SIGN_RATIO);
            }
        }
    }
}
