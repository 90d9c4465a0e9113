//! Signals the player's turn while the terminal is not focused.
//!
//! A terminal that does not report its focus counts as focused; otherwise it would ring at every move. Only the full
//! screen requests focus reports.

use crate::model::{BellMode, Mode, Model};
use crate::update::effect::{Effect, Effects};

/// Whether the only person at this terminal is to move.
pub(in crate::update) fn is_own_turn(model: &Model) -> bool {
    model
        .game_view()
        .is_some_and(|view| view.own_seat().is_some() && view.can_move())
}

/// Signals the turn if the terminal is not focused. Called when it may have become the player's turn.
pub(in crate::update) fn ring_if_unfocused(model: &Model, out: &mut Effects) {
    let bell = model.settings.bell;
    if model.mode == Mode::Full && !model.focused && bell != BellMode::Off && is_own_turn(model) {
        out.push(Effect::RingBell(bell));
    }
}

#[cfg(test)]
mod tests {
    use crate::input::Input;
    use crate::model::{BellMode, Mode};
    use crate::update::tests::{SCRIPT, TestPlayer, TestRoom};
    use crate::update::{Effect, Msg};

    /// Plays a game in which it becomes the turn of X twice, and checks the number of signals.
    fn check(mode: Mode, bell: BellMode, focus: &[bool], expected: usize) {
        let mut host = TestRoom::in_game("3x3:3", None);
        let mut player = TestPlayer::seated(mode, &host);
        player.model.settings.bell = bell;
        for &focused in focus {
            player.feed(Msg::Input(Input::Focus(focused)));
        }
        for cell in ["b2", "a1", "c1", "b1"] {
            player.receive_message(host.play(cell));
        }
        let signals = player
            .effects
            .iter()
            .filter(|effect| matches!(effect, Effect::RingBell(_)))
            .count();
        assert_eq!(signals, expected, "{mode:?} {bell:?} {focus:?}");
    }

    #[test]
    fn only_an_unfocused_full_screen_rings() {
        check(Mode::Full, BellMode::TerminalBell, &[false], 2);
        check(Mode::Full, BellMode::Notify, &[false], 2);
        check(Mode::Full, BellMode::Off, &[false], 0);
        check(Mode::Full, BellMode::TerminalBell, &[false, true], 0);
        // A terminal that does not report its focus counts as focused.
        check(Mode::Full, BellMode::TerminalBell, &[], 0);
        check(SCRIPT, BellMode::TerminalBell, &[false], 0);
    }
}
