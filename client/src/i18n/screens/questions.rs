//! Questions to the player, and the answers.

use crate::facts::{Confirmation, LeaveEffect};
use crate::i18n::{Texts, tr};
use crate::input::Action;

impl Texts {
    /// Confirmation prompt without the keys that answer it.
    pub fn confirmation(self, question: Confirmation) -> &'static str {
        match question {
            Confirmation::Leave {
                effect: LeaveEffect::Nothing,
            } => {
                tr!(
                    self,
                    "Leave this game?",
                    "Выйти из партии?",
                    "要离开这一局吗？",
                    "要離開這一局嗎？"
                )
            }
            Confirmation::Leave {
                effect: LeaveEffect::Aborts,
            } => tr!(
                self,
                "Abort and leave this game?",
                "Отменить партию и выйти?",
                "要取消并离开这一局吗？",
                "要取消並離開這一局嗎？"
            ),
            Confirmation::Leave {
                effect: LeaveEffect::Resigns,
            } => tr!(
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
            Confirmation::Abort => tr!(
                self,
                "Abort without a result?",
                "Отменить партию без результата?",
                "要取消这一局，不计结果吗？",
                "要取消這一局，不計結果嗎？"
            ),
            Confirmation::ClaimDraw => tr!(
                self,
                "End the game as a draw?",
                "Закончить партию вничью?",
                "要以和棋结束这一局吗？",
                "要以和棋結束這一局嗎？"
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
        let leave_effect = match question {
            Confirmation::Leave { effect } => Some(effect),
            Confirmation::Resign
            | Confirmation::Abort
            | Confirmation::AgreeDraw
            | Confirmation::ClaimDraw
            | Confirmation::OpenLobby
            | Confirmation::InviteFriend => None,
        };
        if action == Action::No {
            return Some(match question {
                Confirmation::Leave { .. } => tr!(self, "Stay", "Остаться", "留下", "留下"),
                Confirmation::ClaimDraw => {
                    tr!(self, "Keep waiting", "Ждать дальше", "继续等待", "繼續等待")
                }
                Confirmation::OpenLobby | Confirmation::InviteFriend => {
                    tr!(
                        self,
                        "Keep looking",
                        "Искать дальше",
                        "继续寻找",
                        "繼續尋找"
                    )
                }
                Confirmation::Resign | Confirmation::Abort | Confirmation::AgreeDraw => {
                    tr!(self, "Play on", "Играть дальше", "继续下", "繼續下")
                }
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
            return leave_effect
                .is_some_and(LeaveEffect::is_final)
                .then_some(keep);
        }
        (action == Action::Yes).then(|| match question {
            Confirmation::Leave {
                effect: LeaveEffect::Resigns,
            } => {
                tr!(
                    self,
                    "Leave and resign",
                    "Сдаться и выйти",
                    "认输并离开",
                    "認輸並離開"
                )
            }
            Confirmation::Leave {
                effect: LeaveEffect::Aborts,
            } => {
                tr!(
                    self,
                    "Abort and leave",
                    "Отменить и выйти",
                    "取消并离开",
                    "取消並離開"
                )
            }
            Confirmation::Leave {
                effect: LeaveEffect::Nothing,
            } => {
                tr!(self, "Leave", "Выйти", "离开", "離開")
            }
            Confirmation::Resign => tr!(self, "Resign", "Сдаться", "认输", "認輸"),
            Confirmation::Abort => tr!(self, "Abort", "Отменить", "取消这一局", "取消這一局"),
            Confirmation::AgreeDraw => {
                tr!(
                    self,
                    "Agree to a draw",
                    "Согласиться на ничью",
                    "和棋",
                    "和棋"
                )
            }
            Confirmation::OpenLobby | Confirmation::InviteFriend => {
                tr!(
                    self,
                    "Stop looking",
                    "Прекратить поиск",
                    "停止寻找",
                    "停止尋找"
                )
            }
            Confirmation::ClaimDraw => {
                tr!(self, "Claim the draw", "Засчитать ничью", "判和", "判和")
            }
        })
    }

    /// Labels the key that resigns, before both players have moved: the game then ends without a result.
    pub fn abort_hint(self) -> &'static str {
        tr!(self, "abort", "отменить", "取消", "取消")
    }

    /// Describes that key in the help.
    pub fn abort_action(self) -> &'static str {
        tr!(
            self,
            "abort without a result (asks first)",
            "отменить без результата (с вопросом)",
            "取消这一局，不计结果（会先询问）",
            "取消這一局，不計結果（會先詢問）"
        )
    }
}
