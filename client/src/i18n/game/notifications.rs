//! Texts of notifications, and reports about files that the program writes and reads.

use noughts_protocol::Seat;
use noughts_protocol::wire::RejectCode;

use crate::facts::{Notification, PendingRequest, PlayerRef};
use crate::i18n::errors::sanitize;
use crate::i18n::game::with_blank_after;
use crate::i18n::lang::Lang;
use crate::i18n::{Texts, russian_plural, tr, trf};
use crate::input::cell_names::cell_name;
use crate::io::io_error::LocalizableIoError;

impl Texts {
    /// Formats a notification as one or two sentences. Boards, lists and help are drawn by `ui`.
    pub fn notification(self, notification: &Notification) -> String {
        match notification {
            Notification::Connecting(server) => trf!(
                self,
                "Connecting to {server}.",
                "Подключение к {server}.",
                "正在连接 {server}。",
                "正在連線至 {server}。"
            ),
            Notification::Connected { name, .. } => trf!(
                self,
                "Connected as {name}.",
                "Подключено под именем {name}.",
                "已连接，名字：{name}。",
                "已連線，名字：{name}。"
            ),
            Notification::Disconnected { reason, retry_in } => {
                let (why, wait) = (self.disconnect_reason(reason), self.duration(*retry_in));
                trf!(
                    self,
                    "Connection lost: {why}. Reconnecting in {wait}.",
                    "Связь потеряна: {why}. Повторное подключение через {wait}.",
                    "连接中断：{why}。{wait}后重新连接。",
                    "連線中斷：{why}。{wait}後重新連線。"
                )
            }
            Notification::Reconnected => tr!(
                self,
                "Reconnected.",
                "Связь восстановлена.",
                "已重新连接。",
                "已重新連線。"
            )
            .to_owned(),
            Notification::Terminated { reason, server } => self.close_reason(reason, server),
            Notification::RoomUnavailable => tr!(
                self,
                "This room no longer exists on the server.",
                "Этой комнаты на сервере больше нет.",
                "服务器上已没有这个房间。",
                "伺服器上已沒有這個房間。"
            )
            .to_owned(),
            Notification::Restarting { back_in } => {
                let wait = self.duration(*back_in);
                trf!(
                    self,
                    "The server is restarting; back in {wait}.",
                    "Сервер перезапускается и вернётся через {wait}.",
                    "服务器正在重启，{wait}后恢复。",
                    "伺服器正在重新啟動，{wait}後恢復。"
                )
            }
            Notification::Seeking { rules, clock } => {
                let game = self.game_in_sentence(rules, *clock);
                trf!(
                    self,
                    "Waiting for an opponent: {game}.",
                    "Ожидание соперника: {game}.",
                    "正在等待对手：{game}。",
                    "正在等待對手：{game}。"
                )
            }
            Notification::Invite { rules, clock, .. } => {
                let game = self.game_in_sentence(rules, *clock);
                trf!(
                    self,
                    "Waiting in your room: {game}.",
                    "Ожидание в вашей комнате: {game}.",
                    "正在你的房间里等待：{game}。",
                    "正在你的房間裡等待：{game}。"
                )
            }
            Notification::RoomAddress { server, room, .. } => {
                let command = self.watch_command(server, *room);
                trf!(
                    self,
                    "To watch: {command}",
                    "Смотреть: {command}",
                    "观战：{command}",
                    "觀戰：{command}"
                )
            }
            Notification::BotInvited(level) => trf!(
                self,
                "Starting a bot ({level}) ...",
                "Запуск бота ({level}) ...",
                "正在启动机器人（{level}）...",
                "正在啟動機器人（{level}）..."
            ),
            Notification::Joined {
                rules,
                clock,
                players,
                you,
                next,
            } => {
                let player = |seat: Seat| match &players[seat.index()] {
                    Some(player) => format!("{} ({seat})", self.player(player)),
                    None => {
                        trf!(
                            self,
                            "empty ({seat})",
                            "пусто ({seat})",
                            "空位 ({seat})",
                            "空位 ({seat})"
                        )
                    }
                };
                let role = match you {
                    Some(seat) => {
                        trf!(
                            self,
                            "You are {seat}",
                            "Вы за {seat}",
                            "你执 {seat}",
                            "你執 {seat}"
                        )
                    }
                    None => tr!(self, "Watching", "Вы зритель", "你在观战", "你在觀戰").to_owned(),
                };
                let (x, o) = (player(Seat::X), player(Seat::O));
                let (game, next) = (self.game_in_sentence(rules, *clock), self.next_move(next));
                trf!(
                    self,
                    "{role}: {x} vs {o}, {game}.{next}",
                    "{role}: {x} против {o}, {game}.{next}",
                    "{role}：{x} 对 {o}，{game}。{next}",
                    "{role}：{x} 對 {o}，{game}。{next}"
                )
            }
            Notification::Rooms { rooms, seeks, .. } => {
                let (rooms, seeks) = (rooms.len(), seeks.len());
                trf!(
                    self,
                    "Rooms: {rooms}. Looking for an opponent: {seeks}.",
                    "Комнат: {rooms}. Ищут соперника: {seeks}.",
                    "房间：{rooms} 个。正在寻找对手：{seeks} 人。",
                    "房間：{rooms} 個。正在尋找對手：{seeks} 人。"
                )
            }
            Notification::Seated(who) => {
                let PlayerRef { name, seat, .. } = who;
                let zh_name = with_blank_after(name.as_str());
                trf!(
                    self,
                    "{name} joined and plays {seat}.",
                    "{name} присоединяется и играет за {seat}.",
                    "{zh_name}加入，执 {seat}。",
                    "{zh_name}加入，執 {seat}。"
                )
            }
            Notification::Started {
                number,
                rules,
                players,
                next,
            } => self.game_started(*number, rules, players, next),
            Notification::Moved {
                who,
                cell,
                rules,
                next,
            } => {
                let (name, cell, next) = (
                    self.player_subject(who),
                    cell_name(rules, *cell),
                    self.next_move(next),
                );
                let plays = if who.you { "play" } else { "plays" };
                match self.lang() {
                    Lang::En => format!("{name} {plays} {cell}.{next}"),
                    Lang::Ru => format!("{name}: ход {cell}.{next}"),
                    Lang::Hans | Lang::Hant => {
                        format!("{name} 落子 {cell}。{next}")
                    }
                }
            }
            Notification::Offered { who, offer } => self.offer_made(who, *offer),
            Notification::Declined { who, offer } => self.offer_declined(who, *offer),
            Notification::TakenBack { plies, next } => {
                let next = self.next_move(next);
                let moves = russian_plural(u64::from(*plies), "ход", "хода", "ходов");
                if *plies == 1 {
                    trf!(
                        self,
                        "Move taken back.{next}",
                        "Ход взят назад.{next}",
                        "已悔一步。{next}",
                        "已悔一步。{next}"
                    )
                } else {
                    trf!(
                        self,
                        "{plies} moves taken back.{next}",
                        "Взято назад {plies} {moves}.{next}",
                        "已悔 {plies} 步。{next}",
                        "已悔 {plies} 步。{next}"
                    )
                }
            }
            Notification::GameOver {
                outcome,
                rules,
                players,
                score,
            } => {
                let (outcome, score) = (
                    self.outcome(outcome, rules, players),
                    self.match_score(players, *score),
                );
                trf!(
                    self,
                    "{outcome} Score: {score}.",
                    "{outcome} Счёт: {score}.",
                    "{outcome}比分：{score}。",
                    "{outcome}比分：{score}。"
                )
            }
            Notification::WatchingSeveral(count) => self.multi_watch_help(*count),
            Notification::Hint => tr!(
                self,
                "Type a cell to play, b to see the board, help for all commands.",
                "Введите клетку, чтобы пойти; b - показать доску, help - все команды.",
                "输入格子即可落子；b 显示棋盘，help 列出所有命令。",
                "輸入格子即可落子；b 顯示棋盤，help 列出所有指令。"
            )
            .to_owned(),
            Notification::EngineFailed(error) => self.engine_error(error),
            Notification::AnalysisStarted => self.analysis_running().to_owned(),
            Notification::Values(values) => self.best_cells(values),
            Notification::Review(review) => self.losing_mistake(review),
            Notification::PlayAgain => tr!(
                self,
                "Play again? y or n.",
                "Сыграть ещё? да или нет (y, n).",
                "再来一局？是或否 (y, n)。",
                "再來一局？是或否 (y, n)。"
            )
            .to_owned(),
            Notification::Closed(reason) => self.room_closed(*reason).to_owned(),
            Notification::Presence {
                who,
                presence,
                claim_in,
            } => self.absence(&self.player_subject(who), *presence, *claim_in),
            Notification::Claimable(who) => {
                let name = &who.name;
                let zh_name = with_blank_after(name.as_str());
                trf!(
                    self,
                    "{name} did not reconnect. On {name}'s turn, type \"claim win\" or \"claim draw\".",
                    "{name}: время на возвращение вышло. В ход соперника введите claim win (победа) или claim draw (ничья).",
                    "{zh_name}未重新连接。轮到对手时，输入 claim win（判胜）或 claim draw（判和）。",
                    "{zh_name}未重新連線。輪到對手時，輸入 claim win（判勝）或 claim draw（判和）。"
                )
            }
            Notification::SpectatorCount(count) => self.to_sentence(&self.spectators(*count)),
            Notification::Phrase { who, phrase } => {
                let (who, phrase) = (self.player_subject(who), self.phrase(*phrase));
                trf!(
                    self,
                    "{who}: {phrase}",
                    "{who}: {phrase}",
                    "{who}：{phrase}",
                    "{who}：{phrase}"
                )
            }
            Notification::HostFailed(error) => self.host_error(error),
            Notification::OpponentFound(name) => {
                let zh_name = with_blank_after(name.as_str());
                trf!(
                    self,
                    "{name} is here. Leaving for that game ends this one without a result: Tab or :meet.",
                    "{name} ждёт вас. С переходом туда эта партия закончится без результата: Tab или :meet.",
                    "{zh_name}来了。去那一局会使本局不计结果：Tab 或 :meet。",
                    "{zh_name}來了。去那一局會使本局不計結果：Tab 或 :meet。"
                )
            }
            Notification::Copied => tr!(
                self,
                "Copied, if your terminal allows it.",
                "Скопировано, если терминал это позволяет.",
                "已复制（若终端允许）。",
                "已複製（若終端機允許）。"
            )
            .to_owned(),
            Notification::Muted(true) => tr!(
                self,
                "Phrases are hidden.",
                "Фразы скрыты.",
                "短语已隐藏。",
                "短語已隱藏。"
            )
            .to_owned(),
            Notification::Muted(false) => tr!(
                self,
                "Phrases are shown.",
                "Фразы показываются.",
                "显示短语。",
                "顯示短語。"
            )
            .to_owned(),
            Notification::Evaluation {
                who,
                evaluation,
                rules,
            } => {
                let (who, evaluation) = (
                    self.player_subject(who),
                    self.engine_evaluation(evaluation, rules),
                );
                trf!(
                    self,
                    "{who} evaluates: {evaluation}.",
                    "{who}, оценка: {evaluation}.",
                    "{who} 的评估：{evaluation}。",
                    "{who} 的評估：{evaluation}。"
                )
            }
            Notification::Rejected { request, reject } => {
                if let (Some(PendingRequest::Goal), RejectCode::RoomFull) = (request, reject.code) {
                    return tr!(
                        self,
                        "Both seats are taken. To watch: noughts watch CODE, with the code of the room.",
                        "Оба места заняты. Смотреть: noughts watch КОД, с кодом комнаты.",
                        "座位已满。观战：noughts watch 加房间的邀请码。",
                        "座位已滿。觀戰：noughts watch 加房間的邀請碼。"
                    )
                    .to_owned();
                }
                if reject.code == RejectCode::UnknownRoom {
                    return tr!(
                        self,
                        "No such room. Check the code.",
                        "Такой комнаты нет. Проверьте код.",
                        "没有这个房间。请检查邀请码。",
                        "沒有這個房間。請檢查邀請碼。"
                    )
                    .to_owned();
                }
                if reject.code == RejectCode::OpponentLeft {
                    return tr!(
                        self,
                        "Your opponent has left.",
                        "Соперник ушёл.",
                        "对手已离开。",
                        "對手已離開。"
                    )
                    .to_owned();
                }
                let why = self.reject(reject);
                trf!(
                    self,
                    "Rejected: {why}.",
                    "Отказ: {why}.",
                    "被拒绝：{why}。",
                    "被拒絕：{why}。"
                )
            }
            Notification::SendFailed(error) => self.send_error(*error).to_owned(),
            Notification::Illegal { reject, cell } => self.illegal_move(reject, cell),
            Notification::Unavailable(why) => self.unavailable(*why).to_owned(),
            Notification::InvalidCommand { text, error } => self.command_error(text, error),
            Notification::FieldPrompt { field, .. } => self.field_label(field.id).to_owned(),
            Notification::FieldInvalid(error) => self.field_error(*error),
            Notification::InputEnded => tr!(
                self,
                "End of input: leaving the game.",
                "Конец ввода: выход из партии.",
                "输入已结束，正在离开。",
                "輸入已結束，正在離開。"
            )
            .to_owned(),
            Notification::DigitOrderChanged(order) => self.digit_order(*order).to_owned(),
            Notification::BoardPrintingChanged { is_printed } => match is_printed {
                true => tr!(
                    self,
                    "The board is printed at each turn.",
                    "Доска печатается каждый ход.",
                    "每回合打印棋盘。",
                    "每回合列印棋盤。"
                ),
                false => tr!(
                    self,
                    "The board is printed only on request: b.",
                    "Доска печатается только по запросу: b.",
                    "仅在输入 b 时打印棋盘。",
                    "僅在輸入 b 時列印棋盤。"
                ),
            }
            .to_owned(),
            Notification::SubstituteCalled => tr!(
                self,
                "Waiting for a bot of the server ...",
                "Ожидание бота сервера ...",
                "正在等待服务器上的机器人...",
                "正在等待伺服器上的機器人..."
            )
            .to_owned(),
            Notification::BotFailed => tr!(
                self,
                "The bot could not join.",
                "Боту не удалось подключиться.",
                "机器人未能加入。",
                "機器人未能加入。"
            )
            .to_owned(),
            Notification::SettingsSaved(path) => self.settings_saved(path),
            Notification::SettingsSaveFailed(error) => self.settings_file_error(error),
            Notification::LanguageChanged => {
                let name = self.lang().own_name();
                trf!(
                    self,
                    "Language: {name}.",
                    "Язык: {name}.",
                    "语言：{name}。",
                    "語言：{name}。"
                )
            }
            Notification::FileSaved(path) => self.file_saved(path),
            Notification::FileSaveFailed { path, error } => self.file_save_failed(path, error),
            Notification::FileReadFailed { path, error } => self.file_read_failed(path, error),
            Notification::RecordInvalid { path, error } => {
                self.with_period(&self.with_reason(&sanitize(path), &self.record_error(error)))
            }
            Notification::Record {
                players: [x, o], ..
            } => {
                let (x, o) = (sanitize(x), sanitize(o));
                trf!(
                    self,
                    "{x} (X) vs {o} (O).",
                    "{x} (X) против {o} (O).",
                    "{x} (X) 对 {o} (O)。",
                    "{x} (X) 對 {o} (O)。"
                )
            }
            Notification::Exiting(_) => {
                tr!(self, "Goodbye.", "До свидания.", "再见。", "再見。").to_owned()
            }
            Notification::QueryAnswer(answer) => self.query_answer(answer),
            Notification::Menu { .. } => self.tagline().to_owned(),
            Notification::SavedGameAvailable(game) => self.continue_offer(game),
            Notification::NoSavedGame => self.nothing_to_continue().to_owned(),
            Notification::ResumeFailed(error) => self.continue_error(error),
            Notification::SaveGameFailed(error) => self.save_error(error),
            Notification::CorruptFilesDeleted(count) => self.corrupt_files(*count),
        }
    }
}

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
