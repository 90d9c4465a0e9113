//! Questions to the player, and the answers.

use crate::facts::Confirmation;
use crate::i18n::{Texts, tr};
use crate::input::Action;

impl Texts {
    /// Confirmation prompt without the keys that answer it.
    pub fn confirmation(self, question: Confirmation) -> &'static str {
        match question {
            Confirmation::Leave { forfeits: false } => {
                tr!(self, "Leave this game?", "Выйти из партии?", "要离开这一局吗？", "要離開這一局嗎？")
            }
            Confirmation::Leave { forfeits: true } => tr!(
                self,
                "Resign and leave this game?",
                "Сдаться и выйти из партии?",
                "要认输并离开这一局吗？",
                "要認輸並離開這一局嗎？"
            ),
            Confirmation::Resign => tr!(self, "Resign?", "Сдаться?", "要认输吗？", "要認輸嗎？"),
            Confirmation::OpenLobby => tr!(
                self,
                "Stop looking for an opponent, and see who is there?",
                "Прекратить поиск и посмотреть, кто здесь?",
                "要停止寻找对手，看看有谁在吗？",
                "要停止尋找對手，看看有誰在嗎？"
            ),
            Confirmation::InviteFriend => tr!(
                self,
                "Stop looking for an opponent, and invite a friend?",
                "Прекратить поиск и пригласить друга?",
                "要停止寻找对手，改为邀请朋友吗？",
                "要停止尋找對手，改為邀請朋友嗎？"
            ),
            Confirmation::AgreeDraw => tr!(
                self,
                "Do both players agree to a draw?",
                "Оба игрока согласны на ничью?",
                "双方都同意和棋吗？",
                "雙方都同意和棋嗎？"
            ),
        }
    }

    /// Names an answer to a question; `None` if the question has no such answer.
    pub fn answer(self, question: Confirmation, action: Action) -> Option<&'static str> {
        let leaves = matches!(question, Confirmation::Leave { .. });
        let forfeits = matches!(question, Confirmation::Leave { forfeits: true } | Confirmation::Resign);
        let is_about_search = matches!(question, Confirmation::OpenLobby | Confirmation::InviteFriend);
        if is_about_search {
            if action == Action::No {
                return Some(tr!(self, "Keep looking", "Искать дальше", "继续寻找", "繼續尋找"));
            }
            let stop = tr!(self, "Stop looking", "Прекратить поиск", "停止寻找", "停止尋找");
            return (action == Action::Yes).then_some(stop);
        }
        if action == Action::No {
            return Some(match leaves {
                true => tr!(self, "Stay", "Остаться", "留下", "留下"),
                false => tr!(self, "Play on", "Играть дальше", "继续下", "繼續下"),
            });
        }
        if action == Action::KeepSeat {
            let keep = tr!(
                self,
                "Close, keep my seat",
                "Закрыть, место за мной",
                "关闭，保留座位",
                "關閉，保留座位"
            );
            return (leaves && forfeits).then_some(keep);
        }
        (action == Action::Yes).then(|| match (leaves, forfeits) {
            (true, true) => tr!(self, "Leave and resign", "Сдаться и выйти", "认输并离开", "認輸並離開"),
            (true, false) => tr!(self, "Leave", "Выйти", "离开", "離開"),
            (false, true) => tr!(self, "Resign", "Сдаться", "认输", "認輸"),
            (false, false) => tr!(self, "Agree to a draw", "Согласиться на ничью", "和棋", "和棋"),
        })
    }
}
