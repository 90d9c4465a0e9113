//! What the operating system says when something fails.

use std::io::ErrorKind;

use super::{Words, shown, text};
use crate::system::SystemError;

/// What this program cannot do without, and could not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cannot {
    /// Open the log.
    Log,
    /// Use the authority that `--ca` names.
    Trust,
    /// Hear signals.
    Listen,
    /// Read which games there are to continue.
    Continue,
    /// Take the terminal.
    Terminal,
}

impl Words {
    /// What could not be done, as a part of a sentence.
    pub fn cannot(self, what: Cannot) -> &'static str {
        match what {
            Cannot::Log => text!(
                self,
                "cannot open the log",
                "не удалось открыть журнал",
                "无法打开日志",
                "無法開啟記錄檔"
            ),
            Cannot::Trust => text!(
                self,
                "cannot use the authority named by --ca",
                "не удалось использовать центр из --ca",
                "无法使用 --ca 指定的证书",
                "無法使用 --ca 指定的憑證"
            ),
            Cannot::Listen => text!(
                self,
                "cannot listen for signals",
                "не удалось слушать сигналы",
                "无法接收信号",
                "無法接收訊號"
            ),
            Cannot::Continue => text!(
                self,
                "cannot read what there is to continue",
                "не удалось прочитать незаконченные партии",
                "无法读取未下完的棋局",
                "無法讀取未下完的棋局"
            ),
            Cannot::Terminal => text!(
                self,
                "cannot use the terminal",
                "не удалось использовать терминал",
                "无法使用终端",
                "無法使用終端機"
            ),
        }
    }

    /// Before what a fault of this program has to say for itself.
    pub fn own_fault(self) -> &'static str {
        text!(
            self,
            "noughts: a fault in this program. What it says of it:",
            "noughts: сбой этой программы. Вот что о нём известно:",
            "noughts：本程序出错。详情如下：",
            "noughts：本程式出錯。詳情如下："
        )
    }

    /// A failure of the system: in words where its kind says enough, else as the system has it.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the platform has many kinds, and gets more")]
    pub fn system(self, error: &SystemError) -> String {
        let text = match error.kind() {
            ErrorKind::NotFound => {
                text!(self, "there is no such file", "такого файла нет", "没有这个文件", "沒有這個檔案")
            }
            ErrorKind::PermissionDenied => text!(self, "not allowed", "нет прав", "没有权限", "沒有權限"),
            ErrorKind::AlreadyExists => {
                text!(self, "there is such a file already", "такой файл уже есть", "文件已存在", "檔案已存在")
            }
            ErrorKind::IsADirectory => text!(self, "it is a folder", "это папка", "这是文件夹", "這是資料夾"),
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                text!(self, "no space is left", "нет места на диске", "磁盘空间不足", "磁碟空間不足")
            }
            ErrorKind::ReadOnlyFilesystem => {
                text!(self, "nothing can be written there", "туда нельзя писать", "该处只读", "該處唯讀")
            }
            ErrorKind::ConnectionRefused => {
                text!(self, "nobody answers there", "там никто не отвечает", "该处无人应答", "該處無人回應")
            }
            ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe => {
                text!(self, "the connection was cut", "соединение оборвано", "连接被切断", "連線被切斷")
            }
            ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => {
                text!(self, "there is no way there", "туда нет пути по сети", "网络不可达", "網路無法到達")
            }
            ErrorKind::AddrNotAvailable => text!(
                self,
                "no such host is known",
                "такой узел неизвестен",
                "找不到这个主机",
                "找不到這個主機"
            ),
            ErrorKind::TimedOut => {
                text!(self, "no answer in time", "нет ответа вовремя", "未及时答复", "未及時答覆")
            }
            ErrorKind::UnexpectedEof => {
                text!(self, "it ended too early", "конец слишком рано", "提前结束", "提前結束")
            }
            _ => return shown(&error.to_string()),
        };
        text.to_owned()
    }
}
