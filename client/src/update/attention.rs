//! When somebody who looks elsewhere is called back.
//!
//! A terminal that never tells whether it is looked at counts as looked at: it would ring at every move of a
//! game that is played right there. Only the full screen asks to be told.

use super::{Effect, Out};
use crate::model::{Bell, Mode, Model};

/// Whether the one player at this terminal is to move.
pub(super) fn is_called(model: &Model) -> bool {
    model.table().is_some_and(|table| table.own_seat().is_some() && table.may_move())
}

/// It may have become one's turn just now: calls, if that is not seen.
pub(super) fn call(model: &Model, out: &mut Out) {
    let bell = model.settings.bell;
    if model.mode == Mode::Full && !model.focused && bell != Bell::Off && is_called(model) {
        out.push(Effect::Ring(bell));
    }
}

#[cfg(test)]
mod tests {
    use crate::input::Input;
    use crate::model::{Bell, Mode};
    use crate::update::tests::{Host, Player, SCRIPT};
    use crate::update::{Effect, Msg};

    /// The one place that listens: O moves, and X is called so many times.
    fn check(mode: Mode, bell: Bell, focus: &[bool], expected: usize) {
        let mut host = Host::playing("3x3:3", None);
        let mut player = Player::seated(mode, &host);
        player.model.settings.bell = bell;
        for &focused in focus {
            player.feed(Msg::Input(Input::Focus(focused)));
        }
        for cell in ["b2", "a1", "c1", "b1"] {
            player.message(host.moves(cell));
        }
        let rung = player.effects.iter().filter(|effect| matches!(effect, Effect::Ring(_))).count();
        assert_eq!(rung, expected, "{mode:?} {bell:?} {focus:?}");
    }

    #[test]
    fn only_who_looks_elsewhere_is_called() {
        check(Mode::Full, Bell::Bell, &[false], 2);
        check(Mode::Full, Bell::Notify, &[false], 2);
        check(Mode::Full, Bell::Off, &[false], 0);
        check(Mode::Full, Bell::Bell, &[false, true], 0);
        // A terminal that never says counts as looked at.
        check(Mode::Full, Bell::Bell, &[], 0);
        check(SCRIPT, Bell::Bell, &[false], 0);
    }
}
