//! Reports about files that the program writes and reads.

use crate::i18n::errors::sanitize;
use crate::i18n::{Texts, trf};
use crate::io::io_error::LocalizableIoError;

impl Texts {
    pub(super) fn settings_saved(self, path: &str) -> String {
        let path = sanitize(path);
        trf!(
            self,
            "Settings saved to {path}.",
            "Настройки сохранены в {path}.",
            "设置已保存到 {path}。",
            "設定已儲存到 {path}。"
        )
    }

    pub(super) fn file_saved(self, path: &str) -> String {
        let path = sanitize(path);
        trf!(
            self,
            "Game saved to {path}.",
            "Партия сохранена в {path}.",
            "棋局已保存到 {path}。",
            "棋局已儲存到 {path}。"
        )
    }

    pub(super) fn file_save_failed(self, path: &str, error: &LocalizableIoError) -> String {
        let (path, error) = (sanitize(path), self.io_error(error));
        trf!(
            self,
            "Cannot write {path}: {error}.",
            "Не удалось записать {path}: {error}.",
            "无法写入 {path}：{error}。",
            "無法寫入 {path}：{error}。"
        )
    }

    pub(super) fn file_read_failed(self, path: &str, error: &LocalizableIoError) -> String {
        let (path, error) = (sanitize(path), self.io_error(error));
        trf!(
            self,
            "Cannot read {path}: {error}.",
            "Не удалось прочитать {path}: {error}.",
            "无法读取 {path}：{error}。",
            "無法讀取 {path}：{error}。"
        )
    }
}
