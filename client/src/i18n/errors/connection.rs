//! Reasons for a lost or closed connection, labels for its state, and errors of the operating system.

use std::io::ErrorKind;

use noughts_protocol::wire::CloseCode;

use crate::connection::server_url::ServerUrl;
use crate::connection::{DisconnectReason, SendError, TerminationReason};
use crate::i18n::{Texts, sanitize, tr, trf};
use crate::input::Key;
use crate::io::io_error::LocalizableIoError;

impl Texts {
    /// States why a connection was lost.
    pub fn disconnect_reason(self, why: &DisconnectReason) -> String {
        match why {
            DisconnectReason::Io(error) => self.io_error(error),
            DisconnectReason::Timeout => {
                tr!(self, "timed out", "время ожидания истекло", "超时", "逾時").to_owned()
            }
            DisconnectReason::PingTimeout => tr!(
                self,
                "no data from the server",
                "от сервера нет данных",
                "没有收到服务器的数据",
                "沒有收到伺服器的資料"
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
            DisconnectReason::Closed(None) => tr!(
                self,
                "closed by the server",
                "закрыто сервером",
                "被服务器关闭",
                "被伺服器關閉"
            )
            .to_owned(),
            DisconnectReason::Http(status) => trf!(
                self,
                "the server responded HTTP {status}",
                "сервер ответил HTTP {status}",
                "服务器返回 HTTP {status}",
                "伺服器傳回 HTTP {status}"
            ),
            DisconnectReason::MalformedMessage => tr!(
                self,
                "unexpected message from the server",
                "неожиданное сообщение от сервера",
                "服务器发来意外的消息",
                "伺服器傳來意外的訊息"
            )
            .to_owned(),
            DisconnectReason::NotReady(reject) => self.reject(reject),
        }
    }

    fn close_code(self, code: CloseCode) -> &'static str {
        match code {
            CloseCode::Normal => tr!(self, "closed", "закрыто", "已关闭", "已關閉"),
            CloseCode::ProtocolError
            | CloseCode::Unsupported
            | CloseCode::NotUtf8
            | CloseCode::Garbage => {
                tr!(
                    self,
                    "the server did not understand this program",
                    "сервер не понял эту программу",
                    "服务器无法识别本程序的消息",
                    "伺服器無法識別本程式的訊息"
                )
            }
            CloseCode::Policy => {
                tr!(
                    self,
                    "too many messages",
                    "слишком много сообщений",
                    "消息过多",
                    "訊息過多"
                )
            }
            CloseCode::TooBig => {
                tr!(
                    self,
                    "message too long",
                    "сообщение слишком длинное",
                    "消息过长",
                    "訊息過長"
                )
            }
            CloseCode::Internal => {
                tr!(
                    self,
                    "server error",
                    "ошибка сервера",
                    "服务器出错",
                    "伺服器出錯"
                )
            }
            CloseCode::Restarting => tr!(
                self,
                "the server is restarting",
                "сервер перезапускается",
                "服务器正在重启",
                "伺服器正在重新啟動"
            ),
            CloseCode::HelloTimeout => {
                tr!(
                    self,
                    "client timed out",
                    "клиент не ответил вовремя",
                    "客户端超时",
                    "用戶端逾時"
                )
            }
            CloseCode::ForeignOrigin | CloseCode::TooManyConnections | CloseCode::ServerFull => {
                tr!(
                    self,
                    "the server refused the connection",
                    "сервер отклонил соединение",
                    "服务器拒绝了连接",
                    "伺服器拒絕了連線"
                )
            }
            CloseCode::Version => self.version_mismatch(),
            CloseCode::ServerClosed => tr!(
                self,
                "the host has closed the server",
                "владелец закрыл сервер",
                "房主已关闭服务器",
                "房主已關閉伺服器"
            ),
            CloseCode::Replaced => tr!(
                self,
                "you opened this game somewhere else",
                "вы открыли эту партию в другом месте",
                "你在别处打开了这一局",
                "你在別處開啟了這一局"
            ),
            CloseCode::SlowConsumer => {
                tr!(
                    self,
                    "connection too slow",
                    "слишком медленное соединение",
                    "连接过慢",
                    "連線過慢"
                )
            }
            CloseCode::Unresponsive => {
                tr!(
                    self,
                    "no reply to pings",
                    "нет ответа на пинг",
                    "没有回应 ping",
                    "沒有回應 ping"
                )
            }
        }
    }

    /// States why a connection was closed for good.
    pub fn close_reason(self, ended: &TerminationReason, server: &ServerUrl) -> String {
        match ended {
            TerminationReason::Closed => tr!(
                self,
                "Connection closed.",
                "Соединение закрыто.",
                "连接已关闭。",
                "連線已關閉。"
            )
            .to_owned(),
            // No server was named and none runs locally: the next step matters more than the cause.
            TerminationReason::CannotConnect(DisconnectReason::Io(_))
                if *server == ServerUrl::default() =>
            {
                let (host, port) = (server.host(), server.port());
                trf!(
                    self,
                    "No server at {host}:{port}. Play offline with noughts local, name another server, or install and start noughts-server.",
                    "Нет сервера на {host}:{port}. Играйте без сети (noughts local), укажите другой сервер или установите и запустите noughts-server.",
                    "{host}:{port} 上没有服务器。请用 noughts local 在本机下棋、指定其他服务器，或安装并启动 noughts-server。",
                    "{host}:{port} 上沒有伺服器。請用 noughts local 在本機下棋、指定其他伺服器，或安裝並啟動 noughts-server。"
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
                    "Rejected by {server}: {why}.",
                    "Отказ сервера {server}: {why}.",
                    "被 {server} 拒绝：{why}。",
                    "被 {server} 拒絕：{why}。"
                )
            }
            TerminationReason::Http(status) => trf!(
                self,
                "Rejected by {server}: HTTP {status}.",
                "Отказ сервера {server}: HTTP {status}.",
                "被 {server} 拒绝：HTTP {status}。",
                "被 {server} 拒絕：HTTP {status}。"
            ),
            TerminationReason::NotNoughts => trf!(
                self,
                "{server} is not a Noughts server.",
                "{server} - не сервер Noughts.",
                "{server} 不是 Noughts 服务器。",
                "{server} 不是 Noughts 伺服器。"
            ),
            TerminationReason::Replaced => tr!(
                self,
                "You opened this game somewhere else.",
                "Вы открыли эту партию в другом месте.",
                "你在别处打开了这一局。",
                "你在別處開啟了這一局。"
            )
            .to_owned(),
            TerminationReason::Final(code) => {
                let why = self.close_code(*code);
                trf!(
                    self,
                    "Disconnected: {why}.",
                    "Отключено: {why}.",
                    "已断开：{why}。",
                    "已斷線：{why}。"
                )
            }
            TerminationReason::RetriesExhausted(why) => {
                let why = self.disconnect_reason(why);
                trf!(
                    self,
                    "Connection lost: {why}.",
                    "Связь потеряна: {why}.",
                    "连接中断：{why}。",
                    "連線中斷：{why}。"
                )
            }
        }
    }

    /// States on the home screen that no server runs locally; `key` starts a game without one.
    pub fn no_local_server_at_home(self, server: &ServerUrl, key: Key) -> String {
        let (host, port) = (server.host(), server.port());
        trf!(
            self,
            "No server at {host}:{port}. Press {key} to play the computer offline, or name another server in Settings.",
            "Нет сервера на {host}:{port}. Нажмите {key}, чтобы играть с компьютером без сети, или укажите другой сервер в настройках.",
            "{host}:{port} 上没有服务器。按 {key} 离线和机器人下，或在设置中指定其他服务器。",
            "{host}:{port} 上沒有伺服器。按 {key} 離線和機器人下，或在設定中指定其他伺服器。"
        )
    }

    /// States why a request was not sent.
    pub fn send_error(self, error: SendError) -> &'static str {
        match error {
            SendError::Full => tr!(
                self,
                "Too many unsent moves. Wait for the connection.",
                "Слишком много неотправленных ходов. Дождитесь восстановления связи.",
                "未发送的着法过多。请等待连接恢复。",
                "未傳送的著法過多。請等待連線恢復。"
            ),
            SendError::Ended => self.connection_lost(),
        }
    }

    pub(crate) fn connection_lost(self) -> &'static str {
        tr!(
            self,
            "Disconnected.",
            "Отключено.",
            "已断开连接。",
            "已斷線。"
        )
    }

    /// Label of a working connection. All labels start with a sign, so that colour is not the only cue.
    pub fn connection_online(self) -> &'static str {
        tr!(self, "+ online", "+ на связи", "+ 在线", "+ 線上")
    }

    /// Label of a lost connection.
    pub fn connection_offline_label(self) -> &'static str {
        tr!(self, "! offline", "! нет связи", "! 离线", "! 離線")
    }

    /// Label of a lost connection with the time of the next attempt.
    pub fn connection_offline(self, attempt: u32, in_ms: u64) -> String {
        if in_ms == 0 {
            return trf!(
                self,
                "! offline, retrying ({attempt}) ...",
                "! нет связи, попытка {attempt} ...",
                "! 离线，正在重试 ({attempt}) ...",
                "! 離線，正在重試 ({attempt}) ..."
            );
        }
        let (wait, ordinal) = (self.seconds(in_ms), english_ordinal(attempt));
        trf!(
            self,
            "! offline, retrying in {wait} ({ordinal} try)",
            "! нет связи, попытка {attempt} через {wait}",
            "! 离线，{wait}后重试（第 {attempt} 次）",
            "! 離線，{wait}後重試（第 {attempt} 次）"
        )
    }

    /// Label of a closed connection.
    pub fn connection_closed(self) -> &'static str {
        tr!(
            self,
            "! disconnected",
            "! отключено",
            "! 已断开",
            "! 已斷線"
        )
    }

    /// Label of a game without a connection.
    pub fn local_game_label(self) -> &'static str {
        tr!(
            self,
            "offline game",
            "игра без сети",
            "本机对局",
            "本機對局"
        )
    }
}

/// Formats a number as `1st`, `2nd`, `3rd`, `4th`, `11th`.
fn english_ordinal(number: u32) -> String {
    let suffix = match (number % 10, number % 100) {
        (1, last) if last != 11 => "st",
        (2, last) if last != 12 => "nd",
        (3, last) if last != 13 => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}

/// Operation whose failure ends the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FatalError {
    OpenLog,
    LoadCa,
    InstallSignals,
    ListSavedGames,
    AcquireTerminal,
}

impl Texts {
    /// Names the failed operation, to be followed by the cause.
    pub fn fatal_error(self, what: FatalError) -> &'static str {
        match what {
            FatalError::OpenLog => tr!(
                self,
                "cannot open the log",
                "не удалось открыть журнал",
                "无法打开日志",
                "無法開啟記錄檔"
            ),
            FatalError::LoadCa => tr!(
                self,
                "cannot load the certificate given by --ca",
                "не удалось загрузить сертификат из --ca",
                "无法加载 --ca 指定的证书",
                "無法載入 --ca 指定的憑證"
            ),
            FatalError::InstallSignals => tr!(
                self,
                "cannot install signal handlers",
                "не удалось установить обработчики сигналов",
                "无法安装信号处理程序",
                "無法安裝訊號處理程式"
            ),
            FatalError::ListSavedGames => tr!(
                self,
                "cannot read resumable games",
                "не удалось прочитать прерванные партии",
                "无法读取可继续的棋局",
                "無法讀取可繼續的棋局"
            ),
            FatalError::AcquireTerminal => tr!(
                self,
                "cannot use the terminal",
                "не удалось использовать терминал",
                "无法使用终端",
                "無法使用終端機"
            ),
        }
    }

    /// Printed before the message of a panic.
    pub fn internal_error(self) -> &'static str {
        tr!(
            self,
            "noughts: internal error:",
            "noughts: внутренняя ошибка:",
            "noughts：内部错误：",
            "noughts：內部錯誤："
        )
    }

    /// Describes an I/O error by its kind, or by the system's own message for kinds without a text.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the standard library may add kinds"
    )]
    pub fn io_error(self, error: &LocalizableIoError) -> String {
        let text = match error.kind() {
            ErrorKind::NotFound => {
                tr!(
                    self,
                    "no such file",
                    "такого файла нет",
                    "没有这个文件",
                    "沒有這個檔案"
                )
            }
            ErrorKind::PermissionDenied => {
                tr!(
                    self,
                    "permission denied",
                    "нет доступа",
                    "没有权限",
                    "沒有權限"
                )
            }
            ErrorKind::AlreadyExists => {
                tr!(
                    self,
                    "file exists",
                    "файл уже существует",
                    "文件已存在",
                    "檔案已存在"
                )
            }
            ErrorKind::IsADirectory => tr!(
                self,
                "is a directory",
                "это каталог",
                "这是目录",
                "這是目錄"
            ),
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                tr!(
                    self,
                    "disk full",
                    "нет места на диске",
                    "磁盘已满",
                    "磁碟已滿"
                )
            }
            ErrorKind::ReadOnlyFilesystem => {
                tr!(self, "read-only", "только для чтения", "只读", "唯讀")
            }
            ErrorKind::ConnectionRefused => {
                tr!(
                    self,
                    "connection refused",
                    "в соединении отказано",
                    "连接被拒绝",
                    "連線被拒絕"
                )
            }
            ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe => {
                tr!(
                    self,
                    "connection reset",
                    "соединение сброшено",
                    "连接被重置",
                    "連線被重設"
                )
            }
            ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => {
                tr!(
                    self,
                    "network unreachable",
                    "сеть недоступна",
                    "网络不可达",
                    "網路無法到達"
                )
            }
            ErrorKind::AddrNotAvailable => {
                tr!(
                    self,
                    "unknown host",
                    "неизвестный узел",
                    "未知主机",
                    "未知主機"
                )
            }
            ErrorKind::TimedOut => {
                tr!(self, "timed out", "время ожидания истекло", "超时", "逾時")
            }
            ErrorKind::UnexpectedEof => {
                tr!(
                    self,
                    "unexpected end of file",
                    "неожиданный конец файла",
                    "文件意外结束",
                    "檔案意外結束"
                )
            }
            _ => return sanitize(&error.to_string()),
        };
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_have_english_suffixes() {
        for (number, text) in [
            (1, "1st"),
            (2, "2nd"),
            (3, "3rd"),
            (4, "4th"),
            (11, "11th"),
            (12, "12th"),
            (21, "21st"),
            (101, "101st"),
            (111, "111th"),
        ] {
            assert_eq!(english_ordinal(number), text);
        }
    }
}
