//! Errors of the operating system.

use std::io::ErrorKind;

use crate::i18n::{Texts, sanitize, tr};
use crate::io::io_error::LocalizableIoError;

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
