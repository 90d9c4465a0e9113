//! Why something was refused: by the server, by the board, by what the player may do just now.

mod command_line;
mod connection;
pub(crate) mod io;
mod parse;
mod settings;

use noughts_protocol::wire::{Reject, RejectCode};

use crate::i18n::{Texts, is_printable, tr, trf};
use crate::model::Unavailable;

impl Texts {
    /// A refusal by code. Free text that came with it is not shown.
    pub fn reject(self, reject: &Reject) -> String {
        let wait = reject.wait_ms.map(|ms| self.seconds(ms));
        let text = match reject.code {
            RejectCode::BadMessage
            | RejectCode::UnknownType
            | RejectCode::HelloFirst
            | RejectCode::HelloTwice => tr!(
                self,
                "the server did not understand this program; it may be newer or older",
                "сервер не понял эту программу; возможно, он новее или старее",
                "服务器不理解本程序；它可能更新或更旧",
                "伺服器不理解本程式；它可能更新或更舊"
            ),
            RejectCode::BadField => self.invalid_field(reject.field.as_deref()),
            RejectCode::Version => self.version_mismatch(),
            RejectCode::RateLimited => match wait {
                Some(wait) => {
                    return trf!(
                        self,
                        "too much at once; wait {wait}",
                        "слишком часто; подождите {wait}",
                        "操作过于频繁；请等待 {wait}",
                        "操作過於頻繁；請等待 {wait}"
                    );
                }
                None => tr!(
                    self,
                    "too much at once; wait a moment",
                    "слишком часто; подождите немного",
                    "操作过于频繁；请稍候",
                    "操作過於頻繁；請稍候"
                ),
            },
            RejectCode::Busy => tr!(
                self,
                "the server is busy; try again",
                "сервер занят; попробуйте ещё раз",
                "服务器繁忙；请重试",
                "伺服器忙碌；請重試"
            ),
            RejectCode::Unavailable => tr!(
                self,
                "the server cannot store the game just now; try again",
                "сервер сейчас не может записать ход игры; попробуйте ещё раз",
                "服务器暂时无法保存棋局；请重试",
                "伺服器暫時無法儲存棋局；請重試"
            ),
            RejectCode::Draining => tr!(
                self,
                "the server is about to stop and begins nothing new",
                "сервер скоро остановится и не начинает новых игр",
                "服务器即将停止，不再开始新局",
                "伺服器即將停止，不再開始新局"
            ),
            RejectCode::ServerFull => tr!(
                self,
                "the server is full; try again later",
                "сервер заполнен; попробуйте позже",
                "服务器已满；请稍后再试",
                "伺服器已滿；請稍後再試"
            ),
            RejectCode::AlreadySeeking => tr!(
                self,
                "you wait for an opponent already",
                "вы уже ждёте соперника",
                "你已在等待对手",
                "你已在等待對手"
            ),
            RejectCode::NotSeeking => tr!(
                self,
                "you do not wait for an opponent",
                "вы не ждёте соперника",
                "你没有在等待对手",
                "你沒有在等待對手"
            ),
            RejectCode::AlreadyInRoom => {
                tr!(self, "you are in a room already", "вы уже в комнате", "你已在房间里", "你已在房間裡")
            }
            RejectCode::NotInRoom => {
                tr!(self, "you are in no room", "вы не в комнате", "你不在任何房间里", "你不在任何房間裡")
            }
            RejectCode::UnknownRoom => tr!(
                self,
                "there is no such room, or the code is wrong",
                "такой комнаты нет, или код неверен",
                "没有这个房间，或邀请码有误",
                "沒有這個房間，或邀請碼有誤"
            ),
            RejectCode::RoomFull => tr!(
                self,
                "both seats are taken; you may watch instead",
                "оба места заняты; можно смотреть",
                "两个座位都已有人；可以观战",
                "兩個座位都已有人；可以觀戰"
            ),
            RejectCode::NotAPlayer => tr!(
                self,
                "only players may do this; you watch",
                "это могут только игроки, а вы зритель",
                "只有棋手可以这样做；你在观战",
                "只有棋手可以這樣做；你在觀戰"
            ),
            RejectCode::NotStarted => tr!(
                self,
                "the game has not begun",
                "партия ещё не началась",
                "棋局还没有开始",
                "棋局還沒有開始"
            ),
            RejectCode::GameOver => {
                tr!(self, "the game is over", "партия окончена", "棋局已结束", "棋局已結束")
            }
            RejectCode::GameOn => {
                tr!(self, "the game is still on", "партия ещё идёт", "棋局还在进行", "棋局還在進行")
            }
            RejectCode::Stale => tr!(
                self,
                "the board has changed in the meantime; look again",
                "доска тем временем изменилась; взгляните ещё раз",
                "棋盘已有变化；请再看一眼",
                "棋盤已有變化；請再看一眼"
            ),
            RejectCode::NotYourTurn => {
                tr!(self, "it is not your turn", "сейчас не ваш ход", "还没轮到你", "還沒輪到你")
            }
            RejectCode::OffBoard => tr!(
                self,
                "the board has no such cell",
                "такой клетки на доске нет",
                "棋盘上没有这一格",
                "棋盤上沒有這一格"
            ),
            RejectCode::CellTaken => {
                tr!(self, "the cell is taken", "клетка занята", "这一格已有棋子", "這一格已有棋子")
            }
            RejectCode::ColumnFull => {
                tr!(self, "the column is full", "столбец заполнен", "这一列已满", "這一行已滿")
            }
            RejectCode::IdReused => tr!(
                self,
                "the request came twice with different contents",
                "запрос пришёл дважды с разным содержанием",
                "同一请求以不同内容到达两次",
                "同一請求以不同內容到達兩次"
            ),
            RejectCode::AlreadyOffered => tr!(
                self,
                "you have proposed this already",
                "это уже предложено",
                "你已经提议过了",
                "你已經提議過了"
            ),
            RejectCode::NoOffer => tr!(
                self,
                "nothing of the kind is proposed",
                "ничего такого не предложено",
                "没有这样的提议",
                "沒有這樣的提議"
            ),
            RejectCode::NothingToTakeBack => tr!(
                self,
                "you have no move to take back",
                "у вас нет хода, который можно вернуть",
                "没有可悔的棋",
                "沒有可悔的棋"
            ),
            RejectCode::OpponentLeft => {
                tr!(self, "the other player has left", "соперник ушёл", "对方已离开", "對方已離開")
            }
            RejectCode::NotClaimable => match wait {
                Some(wait) => {
                    return trf!(
                        self,
                        "the other still has {wait} to return",
                        "у соперника ещё {wait} на возвращение",
                        "对方还有 {wait}可以返回",
                        "對方還有 {wait}可以返回"
                    );
                }
                None => tr!(
                    self,
                    "the game cannot be claimed now",
                    "сейчас победу присудить нельзя",
                    "现在不能要求判胜",
                    "現在不能要求判勝"
                ),
            },
            RejectCode::FlagNotFallen => tr!(
                self,
                "the other's time has not run out",
                "у соперника ещё есть время",
                "对方尚未超时",
                "對方尚未超時"
            ),
        };
        text.to_owned()
    }

    fn invalid_field(self, field: Option<&str>) -> &'static str {
        match field {
            Some("rules") => tr!(
                self,
                "the server does not play by these rules",
                "сервер не играет по этим правилам",
                "服务器不支持这种规则",
                "伺服器不支援這種規則"
            ),
            Some("clock") => tr!(
                self,
                "the server does not play with this clock",
                "сервер не играет с такими часами",
                "服务器不支持这种计时",
                "伺服器不支援這種計時"
            ),
            Some("name") => tr!(
                self,
                "the server does not take this name",
                "сервер не принимает это имя",
                "服务器不接受这个名字",
                "伺服器不接受這個名字"
            ),
            Some("room") => tr!(
                self,
                "this is not the name of a room",
                "это не обозначение комнаты",
                "这不是房间的名称",
                "這不是房間的名稱"
            ),
            Some(_) | None => tr!(
                self,
                "the server did not take the request",
                "сервер не принял запрос",
                "服务器没有接受请求",
                "伺服器沒有接受請求"
            ),
        }
    }

    /// The versions of both ends have nothing in common.
    pub(crate) fn version_mismatch(self) -> &'static str {
        tr!(
            self,
            "this program and the server speak different versions",
            "у программы и сервера разные версии",
            "本程序与服务器版本不同",
            "本程式與伺服器版本不同"
        )
    }

    /// Why something makes no sense now.
    pub fn unavailable(self, why: Unavailable) -> &'static str {
        match why {
            Unavailable::MovePending => tr!(
                self,
                "Your move is still on its way.",
                "Ваш ход ещё в пути.",
                "你的上一手还在途中。",
                "你的上一手還在途中。"
            ),
            Unavailable::Watching => tr!(
                self,
                "You only watch this game.",
                "Вы только смотрите эту партию.",
                "你只是在观战。",
                "你只是在觀戰。"
            ),
            Unavailable::NoBoard => {
                tr!(self, "There is no board yet.", "Доски ещё нет.", "还没有棋盘。", "還沒有棋盤。")
            }
            Unavailable::NoPendingOffer => {
                tr!(self, "Nothing is proposed.", "Ничего не предложено.", "没有提议。", "沒有提議。")
            }
            Unavailable::AmbiguousOffer => tr!(
                self,
                "More than one thing is proposed: say which, as in accept draw.",
                "Предложено не одно: укажите, что именно, например accept draw.",
                "提议不止一项：请指明，例如 accept draw。",
                "提議不止一項：請指明，例如 accept draw。"
            ),
            Unavailable::NoGame => {
                tr!(self, "There is no game yet.", "Партии ещё нет.", "还没有棋局。", "還沒有棋局。")
            }
            Unavailable::GameInProgress => {
                tr!(self, "The game is still on.", "Партия ещё идёт.", "棋局还在进行。", "棋局還在進行。")
            }
            Unavailable::BotToMove => {
                tr!(self, "The bot is to move.", "Сейчас ходит бот.", "现在轮到机器人。", "現在輪到機器人。")
            }
            Unavailable::BotDeclinesDraw => {
                tr!(self, "The bot plays on.", "Бот играет дальше.", "机器人要继续下。", "機器人要繼續下。")
            }
            Unavailable::NotWaiting => tr!(
                self,
                "A bot can be called only into your own room, while you wait in it.",
                "Бота можно позвать только в свою комнату, пока вы в ней ждёте.",
                "只有在自己的房间里等待时才能叫机器人。",
                "只有在自己的房間裡等待時才能叫機器人。"
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
                "Only in a game on this terminal.",
                "Только в игре на этом терминале.",
                "只在本机对局中可用。",
                "只在本機對局中可用。"
            ),
            Unavailable::NotClaimable => tr!(
                self,
                "There is nobody to claim the game from.",
                "Присуждать победу не за что: соперник на месте.",
                "没有可判负的对手。",
                "沒有可判負的對手。"
            ),
            Unavailable::ConfirmationRequired => tr!(
                self,
                "Please answer y or n.",
                "Ответьте: да или нет (y, n).",
                "请回答是或否 (y, n)。",
                "請回答是或否 (y, n)。"
            ),
            Unavailable::NumberRequired => tr!(
                self,
                "Please type one of the numbers.",
                "Введите один из номеров.",
                "请输入其中一个编号。",
                "請輸入其中一個編號。"
            ),
            Unavailable::UnknownRoom => tr!(
                self,
                "No game that is watched here is in this room.",
                "Среди партий, за которыми вы следите, такой комнаты нет.",
                "正在观看的对局中没有这个房间。",
                "正在觀看的對局中沒有這個房間。"
            ),
            Unavailable::LeaveConfirmation => tr!(
                self,
                "A game is on. Leave it? y or n.",
                "Партия идёт. Выйти? да или нет (y, n).",
                "棋局进行中。离开？是或否 (y, n)。",
                "棋局進行中。離開？是或否 (y, n)。"
            ),
            Unavailable::NothingPrompted => tr!(
                self,
                "Nothing of the kind is asked for now.",
                "Сейчас об этом не спрашивают.",
                "现在没有在问这个。",
                "現在沒有在問這個。"
            ),
            Unavailable::PositionChanged => tr!(
                self,
                "The board has changed in the meantime.",
                "Тем временем позиция изменилась.",
                "局面已经变了。",
                "局面已經變了。"
            ),
            Unavailable::NoOpponent => tr!(
                self,
                "There is no one opponent here.",
                "Здесь нет одного определённого соперника.",
                "这里没有唯一的对手。",
                "這裡沒有唯一的對手。"
            ),
        }
    }
}

/// What was typed or came from the system, without what could move a cursor or turn the reading, and not
/// too long.
pub(crate) fn sanitize(text: &str) -> String {
    text.chars().filter(|&letter| is_printable(letter)).take(80).collect()
}

/// With a capital.
pub(crate) fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}", letters.as_str())
}
