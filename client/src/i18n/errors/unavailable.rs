//! Reasons why a command is not available.

use crate::facts::{LeaveEffect, Unavailable};
use crate::i18n::{Texts, tr};

impl Texts {
    /// States why a command is not available.
    pub fn unavailable(self, why: Unavailable) -> &'static str {
        match why {
            Unavailable::MovePending => tr!(
                self,
                "Your move is being sent.",
                "Ваш ход отправляется.",
                "你的上一手正在发送。",
                "你的上一手正在傳送。"
            ),
            Unavailable::Watching => tr!(
                self,
                "You are only watching this game.",
                "Вы только смотрите эту партию.",
                "你只是在观战。",
                "你只是在觀戰。"
            ),
            Unavailable::NoBoard => {
                tr!(
                    self,
                    "There is no board yet.",
                    "Доски ещё нет.",
                    "还没有棋盘。",
                    "還沒有棋盤。"
                )
            }
            Unavailable::NoPendingOffer => {
                tr!(
                    self,
                    "There is no offer to answer.",
                    "Нет предложения, на которое можно ответить.",
                    "没有可回应的提议。",
                    "沒有可回應的提議。"
                )
            }
            Unavailable::AmbiguousOffer => tr!(
                self,
                "There are several offers. Say which: :accept draw.",
                "Предложений несколько. Укажите, какое: :accept draw.",
                "有多个提议。请指明：:accept draw。",
                "有多個提議。請指明：:accept draw。"
            ),
            Unavailable::NoGame => {
                tr!(
                    self,
                    "There is no game yet.",
                    "Партии ещё нет.",
                    "还没有棋局。",
                    "還沒有棋局。"
                )
            }
            Unavailable::GameInProgress => {
                tr!(
                    self,
                    "The game is still in progress.",
                    "Партия ещё идёт.",
                    "棋局还在进行。",
                    "棋局還在進行。"
                )
            }
            Unavailable::BotToMove => {
                tr!(
                    self,
                    "It is the bot's turn.",
                    "Сейчас ходит бот.",
                    "现在轮到机器人。",
                    "現在輪到機器人。"
                )
            }
            Unavailable::BotDeclinesDraw => {
                tr!(
                    self,
                    "The bot declines.",
                    "Бот отказывается.",
                    "机器人不同意。",
                    "機器人不同意。"
                )
            }
            Unavailable::NotWaiting => tr!(
                self,
                "You can invite a bot only while waiting in your own room.",
                "Бота можно пригласить, только пока вы ждёте в своей комнате.",
                "只有在自己的房间里等待时，才能邀请机器人。",
                "只有在自己的房間裡等待時，才能邀請機器人。"
            ),
            Unavailable::Offline => self.connection_lost(),
            Unavailable::NothingToTakeBack => tr!(
                self,
                "There is nothing to take back.",
                "Возвращать нечего.",
                "没有可悔的棋。",
                "沒有可悔的棋。"
            ),
            Unavailable::LocalOnly => tr!(
                self,
                "Only in offline games.",
                "Только в игре без сети.",
                "仅限本机对局。",
                "僅限本機對局。"
            ),
            Unavailable::NotOnServer => tr!(
                self,
                "Only in a game on a server.",
                "Только в игре на сервере.",
                "仅限服务器上的对局。",
                "僅限伺服器上的對局。"
            ),
            Unavailable::NotClaimable => tr!(
                self,
                "Your opponent is still here.",
                "Соперник на месте.",
                "对手仍在线。",
                "對手仍在線上。"
            ),
            Unavailable::ConfirmationRequired => tr!(
                self,
                "Type y or n.",
                "Введите да или нет (y, n).",
                "请回答是或否 (y, n)。",
                "請回答是或否 (y, n)。"
            ),
            Unavailable::NumberRequired => tr!(
                self,
                "Type one of the numbers.",
                "Введите один из номеров.",
                "请输入其中一个编号。",
                "請輸入其中一個編號。"
            ),
            Unavailable::UnknownRoom => tr!(
                self,
                "You are not watching that room.",
                "Вы не смотрите эту комнату.",
                "你没有观看那个房间。",
                "你沒有觀看那個房間。"
            ),
            Unavailable::LeaveConfirmation {
                effect: LeaveEffect::Aborts,
            } => tr!(
                self,
                "Abort and leave this game? y or n.",
                "Отменить партию и выйти? да или нет (y, n).",
                "要取消并离开这一局吗？是或否 (y, n)。",
                "要取消並離開這一局嗎？是或否 (y, n)。"
            ),
            Unavailable::LeaveConfirmation {
                effect: LeaveEffect::Resigns,
            } => tr!(
                self,
                "Resign and leave this game? y or n.",
                "Сдаться и выйти из партии? да или нет (y, n).",
                "要认输并离开这一局吗？是或否 (y, n)。",
                "要認輸並離開這一局嗎？是或否 (y, n)。"
            ),
            Unavailable::LeaveConfirmation {
                effect: LeaveEffect::Nothing,
            } => tr!(
                self,
                "Leave this game? y or n.",
                "Выйти из партии? да или нет (y, n).",
                "要离开这一局吗？是或否 (y, n)。",
                "要離開這一局嗎？是或否 (y, n)。"
            ),
            Unavailable::RequestPending => tr!(
                self,
                "Waiting for the server ...",
                "Ожидание ответа сервера ...",
                "正在等待服务器...",
                "正在等待伺服器..."
            ),
            Unavailable::SelectionGone => tr!(
                self,
                "The selected row is gone. Choose another one.",
                "Выбранной строки больше нет. Выберите другую.",
                "所选的一行已消失。请另选一行。",
                "所選的一行已消失。請另選一行。"
            ),
            Unavailable::NothingPrompted => tr!(
                self,
                "Nothing to answer right now.",
                "Сейчас отвечать не на что.",
                "现在没有要回答的问题。",
                "現在沒有要回答的問題。"
            ),
            Unavailable::SeekGone => tr!(
                self,
                "This player is no longer waiting.",
                "Этот игрок уже не ждёт.",
                "该玩家已不在等待。",
                "該玩家已不在等待。"
            ),
            Unavailable::PositionChanged => {
                tr!(
                    self,
                    "The position has changed.",
                    "Позиция изменилась.",
                    "局面已改变。",
                    "局面已改變。"
                )
            }
            Unavailable::NoOpponentFound => tr!(
                self,
                "No opponent has come yet.",
                "Соперник ещё не пришёл.",
                "对手还没有来。",
                "對手還沒有來。"
            ),
            Unavailable::NoOpponent => tr!(
                self,
                "Two players share this terminal.",
                "За этим терминалом играют двое.",
                "两名玩家共用此终端。",
                "兩名玩家共用此終端機。"
            ),
        }
    }
}
