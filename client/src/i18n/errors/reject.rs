//! Rejections of requests by the server, and reasons why a command is not available.

use noughts_protocol::MoveError;
use noughts_protocol::wire::{Reject, RejectCode};

use crate::facts::{LeaveEffect, Unavailable};
use crate::i18n::{Texts, tr, trf};

impl Texts {
    /// States why a cell cannot be played.
    pub(in crate::i18n) fn illegal_move(self, reject: &Reject, cell: &str) -> String {
        if reject.code == RejectCode::CellTaken {
            return trf!(
                self,
                "{cell} is taken. Try another cell.",
                "Клетка {cell} занята. Выберите другую.",
                "{cell} 已有棋子。请选其他格。",
                "{cell} 已有棋子。請選其他格。"
            );
        }
        if reject.code == RejectCode::OffBoard {
            return self.no_such_cell(cell);
        }
        if reject.code == RejectCode::NotYourTurn {
            return tr!(
                self,
                "Not your turn yet.",
                "Ещё не ваш ход.",
                "还没轮到你。",
                "還沒輪到你。"
            )
            .to_owned();
        }
        self.with_period(&self.with_reason(cell, &self.reject(reject)))
    }

    /// Describes a rejection by its code. Free text from the server is not shown.
    pub fn reject(self, reject: &Reject) -> String {
        let wait = reject.wait_ms.map(|ms| self.seconds(ms));
        let text = match reject.code {
            RejectCode::BadMessage
            | RejectCode::UnknownType
            | RejectCode::HelloFirst
            | RejectCode::HelloTwice => tr!(
                self,
                "the server did not understand this client; their versions may differ",
                "сервер не понял эту программу; возможно, у них разные версии",
                "服务器无法识别本程序的消息；两者版本可能不同",
                "伺服器無法識別本程式的訊息；兩者版本可能不同"
            ),
            RejectCode::BadField => self.invalid_field(reject.field.as_deref()),
            RejectCode::Version => self.version_mismatch(),
            RejectCode::RateLimited => match wait {
                Some(wait) => {
                    return trf!(
                        self,
                        "too many requests; wait {wait}",
                        "слишком много запросов; подождите {wait}",
                        "操作过于频繁；请等待 {wait}",
                        "操作過於頻繁；請等待 {wait}"
                    );
                }
                None => tr!(
                    self,
                    "too many requests; wait a moment",
                    "слишком много запросов; подождите немного",
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
                "the server cannot save the game right now; try again",
                "сервер сейчас не может сохранить партию; попробуйте ещё раз",
                "服务器暂时无法保存棋局；请重试",
                "伺服器暫時無法儲存棋局；請重試"
            ),
            RejectCode::Draining => tr!(
                self,
                "the server is shutting down",
                "сервер завершает работу",
                "服务器正在关闭",
                "伺服器正在關閉"
            ),
            RejectCode::ServerFull => tr!(
                self,
                "the server is full; try again later",
                "на сервере нет мест; попробуйте позже",
                "服务器已满；请稍后再试",
                "伺服器已滿；請稍後再試"
            ),
            RejectCode::AlreadySeeking => tr!(
                self,
                "you are already looking for an opponent",
                "вы уже ищете соперника",
                "你已在寻找对手",
                "你已在尋找對手"
            ),
            RejectCode::NotSeeking => tr!(
                self,
                "you are not looking for an opponent",
                "вы не ищете соперника",
                "你没有在寻找对手",
                "你沒有在尋找對手"
            ),
            RejectCode::AlreadyInRoom => {
                tr!(
                    self,
                    "you are already in a room",
                    "вы уже в комнате",
                    "你已在房间里",
                    "你已在房間裡"
                )
            }
            RejectCode::NotInRoom => {
                tr!(
                    self,
                    "you are not in a room",
                    "вы не в комнате",
                    "你不在任何房间里",
                    "你不在任何房間裡"
                )
            }
            RejectCode::UnknownRoom => tr!(
                self,
                "no such room; check the code",
                "такой комнаты нет; проверьте код",
                "没有这个房间；请检查邀请码",
                "沒有這個房間；請檢查邀請碼"
            ),
            RejectCode::RoomFull => tr!(
                self,
                "the game is full; you can watch it",
                "мест нет; можно смотреть",
                "座位已满；可以观战",
                "座位已滿；可以觀戰"
            ),
            RejectCode::NotAPlayer => tr!(
                self,
                "only players can do this; you are watching",
                "это могут только игроки, а вы зритель",
                "只有棋手才能这样做；你在观战",
                "只有棋手才能這樣做；你在觀戰"
            ),
            RejectCode::NotStarted => tr!(
                self,
                "the game has not started",
                "партия ещё не началась",
                "棋局还没有开始",
                "棋局還沒有開始"
            ),
            RejectCode::GameOver => return self.move_error(MoveError::GameOver).into_owned(),
            RejectCode::GameOn => {
                tr!(
                    self,
                    "the game is still in progress",
                    "партия ещё идёт",
                    "棋局还在进行",
                    "棋局還在進行"
                )
            }
            RejectCode::Stale => {
                tr!(
                    self,
                    "the position has changed",
                    "позиция изменилась",
                    "局面已改变",
                    "局面已改變"
                )
            }
            RejectCode::NotYourTurn => {
                tr!(
                    self,
                    "it is not your turn",
                    "сейчас не ваш ход",
                    "还没轮到你",
                    "還沒輪到你"
                )
            }
            RejectCode::OffBoard => return self.move_error(MoveError::OffBoard).into_owned(),
            RejectCode::CellTaken => return self.move_error(MoveError::Taken).into_owned(),
            RejectCode::ColumnFull => return self.move_error(MoveError::ColumnFull).into_owned(),
            RejectCode::IdReused => tr!(
                self,
                "request id reused with different contents",
                "номер запроса повторён с другим содержанием",
                "请求编号重复，但内容不同",
                "請求編號重複，但內容不同"
            ),
            RejectCode::AlreadyOffered => tr!(
                self,
                "you have already offered this",
                "это уже предложено",
                "你已经提议过了",
                "你已經提議過了"
            ),
            RejectCode::NoOffer => tr!(
                self,
                "there is no offer to answer",
                "нет предложения, на которое можно ответить",
                "没有可回应的提议",
                "沒有可回應的提議"
            ),
            RejectCode::NothingToTakeBack => tr!(
                self,
                "you have no move to take back",
                "у вас нет хода, который можно вернуть",
                "没有可悔的棋",
                "沒有可悔的棋"
            ),
            RejectCode::OpponentLeft => {
                tr!(
                    self,
                    "your opponent has left",
                    "соперник ушёл",
                    "对手已离开",
                    "對手已離開"
                )
            }
            RejectCode::NotClaimable => match wait {
                Some(wait) => {
                    return trf!(
                        self,
                        "your opponent has {wait} left to reconnect",
                        "у соперника ещё {wait} на возвращение",
                        "对手还有 {wait}可以重新连接",
                        "對手還有 {wait}可以重新連線"
                    );
                }
                None => tr!(
                    self,
                    "the game cannot be claimed now",
                    "сейчас победу засчитать нельзя",
                    "现在不能判胜",
                    "現在不能判勝"
                ),
            },
            RejectCode::FlagNotFallen => tr!(
                self,
                "your opponent still has time",
                "у соперника ещё есть время",
                "对手尚未超时",
                "對手尚未超時"
            ),
        };
        text.to_owned()
    }

    fn invalid_field(self, field: Option<&str>) -> &'static str {
        match field {
            Some("rules") => tr!(
                self,
                "the server does not support these rules",
                "сервер не поддерживает эти правила",
                "服务器不支持这种规则",
                "伺服器不支援這種規則"
            ),
            Some("clock") => tr!(
                self,
                "the server does not support this clock",
                "сервер не поддерживает такие часы",
                "服务器不支持这种计时",
                "伺服器不支援這種計時"
            ),
            Some("name") => tr!(
                self,
                "the server does not accept this name",
                "сервер не принимает это имя",
                "服务器不接受这个名字",
                "伺服器不接受這個名字"
            ),
            Some("room") => tr!(
                self,
                "invalid room",
                "неверный код или номер комнаты",
                "邀请码或房间号无效",
                "邀請碼或房間號無效"
            ),
            Some(_) | None => tr!(
                self,
                "the server did not accept the request",
                "сервер не принял запрос",
                "服务器没有接受请求",
                "伺服器沒有接受請求"
            ),
        }
    }

    pub(crate) fn version_mismatch(self) -> &'static str {
        tr!(
            self,
            "this program and the server use different protocol versions",
            "у программы и сервера разные версии протокола",
            "本程序与服务器的协议版本不同",
            "本程式與伺服器的協定版本不同"
        )
    }
}

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
