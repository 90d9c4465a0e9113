//! Executes commands that were typed on the command line, in line mode, or sent as JSON.

use noughts_protocol::{Offer, Phase};

use crate::facts::Notification;
use crate::i18n::lang::Lang;
use crate::input::{DigitOrder, TextCommand};
use crate::model::{BoardPrinting, Mode, Model, Stage};
use crate::update::effect::Effects;
use crate::update::game::{analysis, game_commands, queries};
use crate::update::screens::{self, confirmation, menus, quit};

pub(in crate::update) fn execute(model: &mut Model, command: TextCommand, out: &mut Effects) {
    match command {
        TextCommand::Move(cell) => game_commands::play_move(model, cell, out),
        TextCommand::Board => queries::query_board(model, out),
        TextCommand::PrintBoard(is_printed) => set_board_printing(model, is_printed, out),
        TextCommand::Scan(scan) => queries::query_scan(model, scan, out),
        TextCommand::Marks => queries::query_marks(model, out),
        TextCommand::Last => queries::query_last_move(model, out),
        TextCommand::Clocks => queries::query_clocks(model, out),
        TextCommand::Opponent => queries::query_opponent(model, out),
        TextCommand::Invite => queries::query_invite(model, out),
        TextCommand::Help => queries::show_help(model, out),
        TextCommand::Resign if model.mode == Mode::Full => confirmation::confirm_resign(model),
        TextCommand::Resign => game_commands::resign(model, out),
        TextCommand::Abort => game_commands::abort(model, out),
        TextCommand::Offer(Offer::Draw) => confirmation::offer_draw(model, out),
        TextCommand::Offer(offer) => game_commands::offer(model, offer, out),
        TextCommand::Accept(offer) => game_commands::accept(model, offer, out),
        TextCommand::Decline(offer) => decline_or_leave(model, offer, out),
        TextCommand::Claim(result) => game_commands::claim(model, result, out),
        TextCommand::Flag => game_commands::flag(model, out),
        TextCommand::Say(phrase) => game_commands::say(model, phrase, out),
        TextCommand::Mute => game_commands::toggle_mute(model, out),
        TextCommand::InviteBot(None) if is_search_of_person(model) => {
            menus::play_bot_instead(model, out)
        }
        TextCommand::InviteBot(level) => game_commands::invite_bot(model, level, out),
        TextCommand::MeetOpponent => quit::meet_opponent(model, out),
        TextCommand::Values => analysis::request_values(model, out),
        TextCommand::Review => analysis::request_review(model, out),
        TextCommand::DigitOrder(order) => set_digit_order(model, order, out),
        TextCommand::Lang(lang) => set_lang(model, lang, out),
        TextCommand::Save(path) => queries::save_record(model, path, out),
        TextCommand::Leave => quit::request_leave(model, out),
    }
}

/// Whether a person waits to be paired, and could play the computer meanwhile.
fn is_search_of_person(model: &Model) -> bool {
    let is_seeking = model
        .session
        .as_ref()
        .is_some_and(|session| session.stage == Stage::Seeking);
    is_seeking && model.screen.is_waiting() && !model.mode.is_script()
}

/// Declines a proposal. After a game without a proposal, "no" declines a rematch and leaves.
fn decline_or_leave(model: &mut Model, which: Option<Offer>, out: &mut Effects) {
    let over = model.game_view().is_some_and(|view| {
        let has_offer = Offer::ALL
            .into_iter()
            .any(|offer| view.game.offered_by(offer).is_some());
        view.game.phase() == Phase::Over && !has_offer
    });
    if over && which.is_none() {
        quit::request_leave(model, out);
    } else {
        game_commands::decline(model, which, out);
    }
}

fn set_board_printing(model: &mut Model, is_printed: bool, out: &mut Effects) {
    model.settings.board_printing = if is_printed {
        BoardPrinting::Always
    } else {
        BoardPrinting::Never
    };
    out.notify(model, Notification::BoardPrintingChanged { is_printed });
    if is_printed && model.game_view().is_some() {
        queries::query_board(model, out);
    }
}

fn set_digit_order(model: &mut Model, order: DigitOrder, out: &mut Effects) {
    model.settings.digit_order = order;
    out.notify(model, Notification::DigitOrderChanged(order));
}

pub(in crate::update) fn set_lang(model: &mut Model, lang: Lang, out: &mut Effects) {
    screens::set_lang(model, lang);
    out.notify(model, Notification::LanguageChanged);
}
