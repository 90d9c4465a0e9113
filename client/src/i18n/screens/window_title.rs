//! Texts of the title of the terminal's window.

use noughts_protocol::{Offer, Outcome};

use crate::facts::PlayerRef;
use crate::i18n::game::sentences::with_blank_after;
use crate::i18n::{Texts, tr, trf};

impl Texts {
    /// Name of the program in a title.
    pub fn program_title(self) -> &'static str {
        "Noughts"
    }

    pub fn title_turn(self) -> &'static str {
        tr!(self, "* your move", "* ваш ход", "* 轮到你", "* 輪到你")
    }

    pub fn title_offline(self) -> &'static str {
        tr!(self, "! offline", "! нет связи", "! 离线", "! 離線")
    }

    pub fn title_waiting(self) -> &'static str {
        tr!(
            self,
            "waiting for an opponent",
            "ожидание соперника",
            "等待对手",
            "等待對手"
        )
    }

    /// State of a game with an offer of the opponent.
    pub fn title_offer(self, offer: Offer) -> &'static str {
        match offer {
            Offer::Draw => tr!(self, "? draw", "? ничья", "? 求和", "? 求和"),
            Offer::Takeback => tr!(self, "? take back", "? возврат хода", "? 悔棋", "? 悔棋"),
            Offer::Rematch => tr!(self, "? rematch", "? реванш", "? 再来一局", "? 再來一局"),
        }
    }

    /// Result of a game for the reader: a player or a spectator.
    pub fn title_result(self, outcome: &Outcome, players: &[PlayerRef; 2]) -> String {
        let Some(winner) = outcome.winner() else {
            return match outcome {
                Outcome::Aborted => tr!(self, "aborted", "отменена", "已取消", "已取消").to_owned(),
                Outcome::Full
                | Outcome::Agreed
                | Outcome::Abandoned { .. }
                | Outcome::Line { .. }
                | Outcome::Resigned { .. }
                | Outcome::Flag { .. } => tr!(self, "draw", "ничья", "和棋", "和棋").to_owned(),
            };
        };
        let (winner, loser) = (&players[winner.index()], &players[winner.other().index()]);
        if winner.you {
            return tr!(self, "you win", "вы выиграли", "你赢了", "你贏了").to_owned();
        }
        if loser.you {
            return tr!(self, "you lost", "вы проиграли", "你输了", "你輸了").to_owned();
        }
        let name = &winner.name;
        let zh_name = with_blank_after(name.as_str());
        trf!(
            self,
            "{name} wins",
            "выиграл {name}",
            "{zh_name}获胜",
            "{zh_name}獲勝"
        )
    }
}
