//! Texts about a game.

mod analysis;
mod files;
mod notifications;
mod offers;
mod outcome;
mod phrases;
mod query_answers;
pub(crate) mod rules_name;
mod saved_games;
pub(super) mod sentences;

use std::time::Duration;

use noughts_protocol::wire::Presence;
use noughts_protocol::{Cell, Rules};

use crate::i18n::lang::Lang;
use crate::i18n::{Texts, tr};
use crate::input::cell_names::cell_name;

impl Texts {
    /// State of a player's connection as a label.
    pub fn presence_label(self, presence: Presence) -> &'static str {
        self.presence(presence)
    }

    fn presence(self, presence: Presence) -> &'static str {
        match presence {
            Presence::Connected => tr!(self, "connected", "на связи", "在线", "在線上"),
            Presence::Disconnected => tr!(self, "disconnected", "не на связи", "已断线", "已斷線"),
            Presence::Left => tr!(self, "left", "больше не в комнате", "已离开", "已離開"),
        }
    }

    /// States whether a player is connected, with the time left to reconnect if there is a countdown.
    pub fn absence(self, name: &str, presence: Presence, left: Option<Duration>) -> String {
        let state = self.presence(presence);
        let verb = match presence {
            Presence::Connected | Presence::Disconnected => " is",
            Presence::Left => "",
        };
        match (self.lang(), left.map(|left| self.duration(left))) {
            (Lang::En, Some(left)) => format!("{name}{verb} {state}: {left} to reconnect."),
            (Lang::En, None) => format!("{name}{verb} {state}."),
            (Lang::Ru, Some(left)) => format!("{name} {state}: {left} на возвращение."),
            (Lang::Ru, None) => format!("{name} {state}."),
            (Lang::Hans, Some(left)) => format!("{name} {state}，须在 {left}内重新连接。"),
            (Lang::Hant, Some(left)) => format!("{name} {state}，須在 {left}內重新連線。"),
            (Lang::Hans | Lang::Hant, None) => format!("{name} {state}。"),
        }
    }

    /// Lists cells in order.
    pub fn cells(self, cells: &[Cell], rules: &Rules) -> String {
        cells
            .iter()
            .map(|&cell| cell_name(rules, cell))
            .collect::<Vec<_>>()
            .join(" ")
    }
}
