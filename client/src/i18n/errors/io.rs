//! What the operating system says when something fails.

use std::io::ErrorKind;

use crate::i18n::{Texts, sanitize, tr};
use crate::io::io_error::LocalizableIoError;

/// What this program cannot do without, and could not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FatalError {
    /// Open the log.
    OpenLog,
    /// Use the authority that `--ca` names.
    LoadCa,
    /// Hear signals.
    InstallSignals,
    /// Read which games there are to continue.
    ListSavedGames,
    /// Take the terminal.
    AcquireTerminal,
}

impl Texts {
    /// What could not be done, as a part of a sentence.
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
                "cannot use the authority named by --ca",
                "не удалось использовать центр из --ca",
                "无法使用 --ca 指定的证书",
                "無法使用 --ca 指定的憑證"
            ),
            FatalError::InstallSignals => tr!(
                self,
                "cannot listen for signals",
                "не удалось слушать сигналы",
                "无法接收信号",
                "無法接收訊號"
            ),
            FatalError::ListSavedGames => tr!(
                self,
                "cannot read what there is to continue",
                "не удалось прочитать незаконченные партии",
                "无法读取未下完的棋局",
                "無法讀取未下完的棋局"
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

    /// Before what a fault of this program has to say for itself.
    pub fn internal_error(self) -> &'static str {
        tr!(
            self,
            "noughts: a fault in this program. What it says of it:",
            "noughts: сбой этой программы. Вот что о нём известно:",
            "noughts：本程序出错。详情如下：",
            "noughts：本程式出錯。詳情如下："
        )
    }

    /// A failure of the system: in words where its kind says enough, else as the system has it.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the platform has many kinds, and gets more")]
    pub fn io_error(self, error: &LocalizableIoError) -> String {
        let text = match error.kind() {
            ErrorKind::NotFound => {
                tr!(self, "there is no such file", "такого файла нет", "没有这个文件", "沒有這個檔案")
            }
            ErrorKind::PermissionDenied => tr!(self, "not allowed", "нет прав", "没有权限", "沒有權限"),
            ErrorKind::AlreadyExists => {
                tr!(self, "there is such a file already", "такой файл уже есть", "文件已存在", "檔案已存在")
            }
            ErrorKind::IsADirectory => tr!(self, "it is a folder", "это папка", "这是文件夹", "這是資料夾"),
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                tr!(self, "no space is left", "нет места на диске", "磁盘空间不足", "磁碟空間不足")
            }
            ErrorKind::ReadOnlyFilesystem => {
                tr!(self, "nothing can be written there", "туда нельзя писать", "该处只读", "該處唯讀")
            }
            ErrorKind::ConnectionRefused => {
                tr!(self, "nobody answers there", "там никто не отвечает", "该处无人应答", "該處無人回應")
            }
            ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe => {
                tr!(self, "the connection was cut", "соединение оборвано", "连接被切断", "連線被切斷")
            }
            ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => {
                tr!(self, "there is no way there", "туда нет пути по сети", "网络不可达", "網路無法到達")
            }
            ErrorKind::AddrNotAvailable => tr!(
                self,
                "no such host is known",
                "такой узел неизвестен",
                "找不到这个主机",
                "找不到這個主機"
            ),
            ErrorKind::TimedOut => {
                tr!(self, "no answer in time", "нет ответа вовремя", "未及时答复", "未及時答覆")
            }
            ErrorKind::UnexpectedEof => {
                tr!(self, "it ended too early", "конец слишком рано", "提前结束", "提前結束")
            }
            _ => return sanitize(&error.to_string()),
        };
        text.to_owned()
    }
}
