//! Reasons why the player's own server does not run.

use super::sanitize;
use crate::facts::HostError;
use crate::i18n::{Texts, tr, trf};

impl Texts {
    pub fn host_error(self, error: &HostError) -> String {
        match error {
            HostError::NotInstalled => tr!(
                self,
                "The program noughts-server is not installed here. Install it: cargo install --path server",
                "Программа noughts-server здесь не установлена. Установка: cargo install --path server",
                "本机未安装 noughts-server。安装：cargo install --path server",
                "本機未安裝 noughts-server。安裝：cargo install --path server"
            )
            .to_owned(),
            HostError::PortTaken(port) => trf!(
                self,
                "Another program uses port {port}. Choose another port.",
                "Порт {port} занят другой программой. Выберите другой порт.",
                "端口 {port} 已被其他程序占用。请换一个端口。",
                "連接埠 {port} 已被其他程式占用。請換一個連接埠。"
            ),
            HostError::TimedOut => tr!(
                self,
                "The server does not answer.",
                "Сервер не отвечает.",
                "服务器没有响应。",
                "伺服器沒有回應。"
            )
            .to_owned(),
            HostError::Failed(reason) => {
                let reason = sanitize(reason);
                trf!(
                    self,
                    "The server cannot start: {reason}",
                    "Сервер не запускается: {reason}",
                    "服务器无法启动：{reason}",
                    "伺服器無法啟動：{reason}"
                )
            }
        }
    }
}
