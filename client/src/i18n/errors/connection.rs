//! How the line to the server is lost or ends, and the labels that say how it is.

use noughts_protocol::wire::CloseCode;

use crate::connection::{DisconnectReason, SendError, TerminationReason};
use crate::i18n::{Texts, tr, trf};
use crate::server_url::ServerUrl;

impl Texts {
    /// How a line was lost.
    pub fn disconnect_reason(self, why: &DisconnectReason) -> String {
        match why {
            DisconnectReason::Io(error) => self.io_error(error),
            DisconnectReason::Timeout => {
                tr!(self, "no answer in time", "нет ответа вовремя", "未及时答复", "未及時答覆").to_owned()
            }
            DisconnectReason::PingTimeout => tr!(
                self,
                "nothing heard from the server",
                "от сервера ничего не слышно",
                "服务器没有动静",
                "伺服器沒有動靜"
            )
            .to_owned(),
            DisconnectReason::Restarting => self.close_code(CloseCode::Restarting).to_owned(),
            DisconnectReason::Closed(Some(code)) => match CloseCode::from_code(*code) {
                Some(code) => self.close_code(code).to_owned(),
                None => trf!(
                    self,
                    "closed by the server ({code})",
                    "закрыто сервером ({code})",
                    "被服务器关闭 ({code})",
                    "被伺服器關閉 ({code})"
                ),
            },
            DisconnectReason::Closed(None) => {
                tr!(self, "closed by the server", "закрыто сервером", "被服务器关闭", "被伺服器關閉")
                    .to_owned()
            }
            DisconnectReason::Http(status) => trf!(
                self,
                "the server answered HTTP {status}",
                "сервер ответил HTTP {status}",
                "服务器答复 HTTP {status}",
                "伺服器答覆 HTTP {status}"
            ),
            DisconnectReason::MalformedMessage => tr!(
                self,
                "the server sent something else than this game's messages",
                "сервер прислал не сообщения этой игры",
                "服务器发来的不是本游戏的消息",
                "伺服器傳來的不是本遊戲的訊息"
            )
            .to_owned(),
            DisconnectReason::NotReady(reject) => self.reject(reject),
        }
    }

    fn close_code(self, code: CloseCode) -> &'static str {
        match code {
            CloseCode::Normal => tr!(self, "closed", "закрыто", "已关闭", "已關閉"),
            CloseCode::ProtocolError | CloseCode::Unsupported | CloseCode::NotUtf8 | CloseCode::Garbage => {
                tr!(
                    self,
                    "the server did not understand this program",
                    "сервер не понял эту программу",
                    "服务器不理解本程序",
                    "伺服器不理解本程式"
                )
            }
            CloseCode::Policy => tr!(
                self,
                "the server was sent too much",
                "серверу отправлено слишком много",
                "发给服务器的消息过多",
                "傳給伺服器的訊息過多"
            ),
            CloseCode::TooBig => tr!(
                self,
                "the server was sent too long a message",
                "серверу отправлено слишком длинное сообщение",
                "发给服务器的消息过长",
                "傳給伺服器的訊息過長"
            ),
            CloseCode::Internal => {
                tr!(self, "the server had a fault", "на сервере ошибка", "服务器出错", "伺服器出錯")
            }
            CloseCode::Restarting => tr!(
                self,
                "the server restarts",
                "сервер перезапускается",
                "服务器正在重启",
                "伺服器正在重新啟動"
            ),
            CloseCode::HelloTimeout => tr!(
                self,
                "the server waited too long for this program",
                "сервер не дождался этой программы",
                "服务器等待本程序过久",
                "伺服器等待本程式過久"
            ),
            CloseCode::Version => self.version_mismatch(),
            CloseCode::Replaced => tr!(
                self,
                "a newer connection has taken this seat",
                "это место заняло более новое подключение",
                "较新的连接已占用这个座位",
                "較新的連線已佔用這個座位"
            ),
            CloseCode::SlowConsumer => tr!(
                self,
                "this line was too slow",
                "эта связь была слишком медленной",
                "本连接过慢",
                "本連線過慢"
            ),
            CloseCode::Unresponsive => tr!(
                self,
                "this line did not answer",
                "эта связь не отвечала",
                "本连接没有回应",
                "本連線沒有回應"
            ),
        }
    }

    /// Why the line has ended.
    pub fn close_reason(self, ended: &TerminationReason, server: &ServerUrl) -> String {
        match ended {
            TerminationReason::Closed => {
                tr!(self, "The connection is closed.", "Соединение закрыто.", "连接已关闭。", "連線已關閉。")
                    .to_owned()
            }
            // Nobody has named a server, and there is none: how to go on counts for more than why.
            TerminationReason::CannotConnect(DisconnectReason::Io(_)) if *server == ServerUrl::default() => {
                let (host, port) = (server.host(), server.port());
                trf!(
                    self,
                    "No server at {host}:{port}. Start one: noughts-server. Or play here: noughts local.",
                    "Нет сервера на {host}:{port}. Запустить: noughts-server. Или без него: noughts local.",
                    "{host}:{port} 没有服务器。启动：noughts-server；或在本机下：noughts local。",
                    "{host}:{port} 沒有伺服器。啟動：noughts-server；或在本機下：noughts local。"
                )
            }
            TerminationReason::CannotConnect(why) => {
                let why = self.disconnect_reason(why);
                trf!(
                    self,
                    "Cannot connect to {server}: {why}.",
                    "Не удалось подключиться к {server}: {why}.",
                    "无法连接 {server}：{why}。",
                    "無法連線至 {server}：{why}。"
                )
            }
            TerminationReason::Refused(reject) => {
                let why = self.reject(reject);
                trf!(
                    self,
                    "Refused by {server}: {why}.",
                    "Отказ сервера {server}: {why}.",
                    "被 {server} 拒绝：{why}。",
                    "被 {server} 拒絕：{why}。"
                )
            }
            TerminationReason::Http(status) => trf!(
                self,
                "Refused by {server}: HTTP {status}.",
                "Отказ сервера {server}: HTTP {status}.",
                "被 {server} 拒绝：HTTP {status}。",
                "被 {server} 拒絕：HTTP {status}。"
            ),
            TerminationReason::NotNoughts => trf!(
                self,
                "{server} is no noughts server.",
                "{server} - не сервер noughts.",
                "{server} 不是 noughts 服务器。",
                "{server} 不是 noughts 伺服器。"
            ),
            TerminationReason::Replaced => tr!(
                self,
                "A newer connection has taken your seat.",
                "Ваше место заняло более новое подключение.",
                "较新的连接已占用你的座位。",
                "較新的連線已佔用你的座位。"
            )
            .to_owned(),
            TerminationReason::Final(code) => {
                let why = self.close_code(*code);
                trf!(
                    self,
                    "The connection has ended: {why}.",
                    "Соединение прервано: {why}.",
                    "连接已结束：{why}。",
                    "連線已結束：{why}。"
                )
            }
            TerminationReason::RetriesExhausted(why) => {
                let why = self.disconnect_reason(why);
                trf!(
                    self,
                    "The connection is lost for good: {why}.",
                    "Связь потеряна окончательно: {why}.",
                    "连接彻底中断：{why}。",
                    "連線徹底中斷：{why}。"
                )
            }
        }
    }

    /// Why a request did not leave.
    pub fn send_error(self, error: SendError) -> &'static str {
        match error {
            SendError::Full => tr!(
                self,
                "Too much waits to be sent already; wait for the connection.",
                "Слишком многое уже ждёт отправки; дождитесь связи.",
                "待发送的内容过多；请等待连接恢复。",
                "待傳送的內容過多；請等待連線恢復。"
            ),
            SendError::Ended => self.connection_lost(),
        }
    }

    pub(crate) fn connection_lost(self) -> &'static str {
        tr!(self, "The connection has ended.", "Соединение прервано.", "连接已结束。", "連線已結束。")
    }

    /// The state of the line, with a sign.
    pub fn connection_online(self) -> &'static str {
        tr!(self, "+ online", "+ на связи", "+ 在线", "+ 線上")
    }

    /// The same with the own lag.
    pub fn connection_lag(self, ms: u32) -> String {
        trf!(self, "+ lag {ms} ms", "+ задержка {ms} мс", "+ 延迟 {ms} 毫秒", "+ 延遲 {ms} 毫秒")
    }

    /// The line is down.
    pub fn connection_offline(self, attempt: u32, in_ms: u64) -> String {
        if in_ms == 0 {
            return trf!(
                self,
                "! offline, attempt {attempt} ...",
                "! нет связи, попытка {attempt} ...",
                "! 离线，第 {attempt} 次重试 ...",
                "! 離線，第 {attempt} 次重試 ..."
            );
        }
        let wait = self.seconds(in_ms);
        trf!(
            self,
            "! offline, attempt {attempt} in {wait}",
            "! нет связи, попытка {attempt} через {wait}",
            "! 离线，{wait}后第 {attempt} 次重试",
            "! 離線，{wait}後第 {attempt} 次重試"
        )
    }

    /// The line is gone.
    pub fn connection_closed(self) -> &'static str {
        tr!(self, "! connection ended", "! связь прервана", "! 连接已结束", "! 連線已結束")
    }

    /// No line is needed.
    pub fn local_game_label(self) -> &'static str {
        tr!(self, "this terminal", "этот терминал", "本机", "本機")
    }
}
