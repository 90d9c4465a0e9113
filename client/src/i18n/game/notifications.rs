//! The sentence of each note.

use noughts_protocol::Seat;
use noughts_protocol::wire::RejectCode;

use crate::i18n::errors::sanitize;
use crate::i18n::{Texts, russian_plural, tr, trf};
use crate::model::{Notification, PendingRequest, PlayerRef};

impl Texts {
    /// A note as one sentence or two. What takes a picture (the board, lists, help) the views draw.
    pub fn notification(self, note: &Notification) -> String {
        match note {
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
                "Подключено. Имя: {name}.",
                "已连接，名字：{name}。",
                "已連線，名字：{name}。"
            ),
            Notification::Disconnected { reason: why, retry_in } => {
                let (why, wait) = (self.disconnect_reason(why), self.duration(*retry_in));
                trf!(
                    self,
                    "The connection is lost: {why}. Trying again in {wait}.",
                    "Связь потеряна: {why}. Новая попытка через {wait}.",
                    "连接中断：{why}。{wait}后重试。",
                    "連線中斷：{why}。{wait}後重試。"
                )
            }
            Notification::Reconnected => {
                tr!(self, "The connection is back.", "Связь восстановлена.", "连接已恢复。", "連線已恢復。")
                    .to_owned()
            }
            Notification::Terminated { reason: ended, server } => self.close_reason(ended, server),
            Notification::RoomUnavailable => tr!(
                self,
                "The server no longer knows this room, or your seat in it.",
                "Сервер больше не знает этой комнаты или вашего места в ней.",
                "服务器已不认识这个房间，或你在其中的座位。",
                "伺服器已不認識這個房間，或你在其中的座位。"
            )
            .to_owned(),
            Notification::Restarting { back_in } => {
                let wait = self.duration(*back_in);
                trf!(
                    self,
                    "The server restarts and is back in {wait}.",
                    "Сервер перезапускается и вернётся через {wait}.",
                    "服务器正在重启，{wait}后恢复。",
                    "伺服器正在重新啟動，{wait}後恢復。"
                )
            }
            Notification::Seeking { rules, clock } => {
                let game = self.game_description(rules, *clock);
                trf!(
                    self,
                    "Waiting for an opponent: {game}.",
                    "Ожидание соперника: {game}.",
                    "正在等待对手：{game}。",
                    "正在等待對手：{game}。"
                )
            }
            Notification::Invite { rules, clock, .. } => {
                let game = self.game_description(rules, *clock);
                trf!(
                    self,
                    "Waiting in your room: {game}.",
                    "Ожидание в вашей комнате: {game}.",
                    "正在你的房间等待：{game}。",
                    "正在你的房間等待：{game}。"
                )
            }
            Notification::BotInvited(level) => trf!(
                self,
                "A bot is on its way (level {level}).",
                "Бот сейчас придёт (уровень {level}).",
                "机器人正在赶来 (级别 {level})。",
                "機器人正在趕來 (級別 {level})。"
            ),
            Notification::Joined { rules, clock, players, you, next } => {
                let player = |seat: Seat| match &players[seat.index()] {
                    Some(player) => format!("{} ({seat})", self.player(player)),
                    None => {
                        trf!(self, "nobody ({seat})", "никого ({seat})", "空位 ({seat})", "空位 ({seat})")
                    }
                };
                let part = match you {
                    Some(seat) => {
                        trf!(self, "You have {seat}", "Ваш знак {seat}", "你执 {seat}", "你執 {seat}")
                    }
                    None => tr!(self, "You watch", "Вы зритель", "你在观战", "你在觀戰").to_owned(),
                };
                let (x, o) = (player(Seat::X), player(Seat::O));
                let (game, next) = (self.game_description(rules, *clock), self.next_move(next));
                trf!(
                    self,
                    "{part}: {x} against {o}, {game}.{next}",
                    "{part}: {x} против {o}, {game}.{next}",
                    "{part}：{x} 对 {o}，{game}。{next}",
                    "{part}：{x} 對 {o}，{game}。{next}"
                )
            }
            Notification::Rooms { rooms, seeks, .. } => {
                let (rooms, seeks) = (rooms.len(), seeks.len());
                trf!(
                    self,
                    "Rooms: {rooms}. Waiting to be paired: {seeks}.",
                    "Комнат: {rooms}. Ждут соперника: {seeks}.",
                    "房间：{rooms}。等待配对：{seeks}。",
                    "房間：{rooms}。等待配對：{seeks}。"
                )
            }
            Notification::Seated(who) => {
                let PlayerRef { name, seat, .. } = who;
                trf!(
                    self,
                    "{name} has sat down to play {seat}.",
                    "За стол садится {name}, знак {seat}.",
                    "{name} 入座，执 {seat}。",
                    "{name} 入座，執 {seat}。"
                )
            }
            Notification::Started { number, rules, players, next } => {
                self.game_started(*number, rules, players, next)
            }
            Notification::Moved { who, cell, rules, next } => {
                let (name, cell, next) =
                    (self.player_subject(who), rules.cell_text(*cell), self.next_move(next));
                let plays = if who.you { "play" } else { "plays" };
                match self.lang() {
                    crate::i18n::lang::Lang::En => format!("{name} {plays} {cell}.{next}"),
                    crate::i18n::lang::Lang::Ru => format!("{name}: ход {cell}.{next}"),
                    crate::i18n::lang::Lang::Hans | crate::i18n::lang::Lang::Hant => {
                        format!("{name} 落子 {cell}。{next}")
                    }
                }
            }
            Notification::Offered { who, offer } => self.offer_made(who, *offer),
            Notification::Declined { who, offer } => {
                let (who, offer) = (self.player_subject(who), self.offer(*offer));
                trf!(
                    self,
                    "{who}: no to {offer}.",
                    "{who}: отказ ({offer}).",
                    "{who} 拒绝：{offer}。",
                    "{who} 拒絕：{offer}。"
                )
            }
            Notification::TakenBack { plies, next } => {
                let next = self.next_move(next);
                let moves = russian_plural(u64::from(*plies), "ход", "хода", "ходов");
                if *plies == 1 {
                    trf!(
                        self,
                        "One move is taken back.{next}",
                        "Ход взят назад.{next}",
                        "已悔一步。{next}",
                        "已悔一步。{next}"
                    )
                } else {
                    trf!(
                        self,
                        "{plies} moves are taken back.{next}",
                        "Взято назад: {plies} {moves}.{next}",
                        "已悔 {plies} 步。{next}",
                        "已悔 {plies} 步。{next}"
                    )
                }
            }
            Notification::GameOver { outcome, rules, players, score } => {
                let (outcome, score) =
                    (self.outcome(outcome, rules, players), self.match_score(players, *score));
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
                "Type a cell to play it, b for the board, help for more.",
                "Введите клетку, чтобы пойти; b - доска, help - справка.",
                "输入格子即落子；b 看棋盘，help 看帮助。",
                "輸入格子即落子；b 看棋盤，help 看說明。"
            )
            .to_owned(),
            Notification::EngineFailed(fault) => self.engine_error(fault),
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
            Notification::Closed(closing) => self.room_closed(*closing).to_owned(),
            Notification::Presence { who, presence, claim_in } => {
                self.absence(&self.player_subject(who), *presence, *claim_in)
            }
            Notification::Claimable(who) => {
                let who = self.player_subject(who);
                trf!(
                    self,
                    "{who} did not return: on its turn type claim win or claim draw.",
                    "{who}: срок возвращения вышел; в ход соперника введите claim win (победа) или claim draw (ничья).",
                    "{who} 未返回：轮到对方时输入 claim win (判胜) 或 claim draw (判和)。",
                    "{who} 未返回：輪到對方時輸入 claim win (判勝) 或 claim draw (判和)。"
                )
            }
            Notification::SpectatorCount(count) => self.to_sentence(&self.spectators(*count)),
            Notification::Evaluation { who, evaluation: thinks, rules } => {
                let (who, thinks) = (self.player_subject(who), self.engine_evaluation(thinks, rules));
                trf!(
                    self,
                    "{who} thinks: {thinks}.",
                    "{who}, оценка: {thinks}.",
                    "{who} 评估：{thinks}。",
                    "{who} 評估：{thinks}。"
                )
            }
            Notification::Rejected { request: ask, reject } => {
                if let (Some(PendingRequest::Goal), RejectCode::RoomFull) = (ask, reject.code) {
                    return tr!(
                        self,
                        "Both seats of this room are taken: noughts watch shows the game.",
                        "Оба места в комнате заняты: noughts watch покажет игру.",
                        "房间两个座位都已有人：noughts watch 可观战。",
                        "房間兩個座位都已有人：noughts watch 可觀戰。"
                    )
                    .to_owned();
                }
                let why = self.reject(reject);
                trf!(self, "Refused: {why}.", "Отказ: {why}.", "被拒绝：{why}。", "被拒絕：{why}。")
            }
            Notification::SendFailed(error) => self.send_error(*error).to_owned(),
            Notification::Illegal { reject, cell } => {
                self.with_period(&self.with_reason(cell, &self.reject(reject)))
            }
            Notification::Unavailable(why) => self.unavailable(*why).to_owned(),
            Notification::InvalidCommand { text, error } => self.command_error(text, error),
            Notification::FieldPrompt { field, .. } => self.field_label(field.id).to_owned(),
            Notification::FieldInvalid(error) => self.field_error(*error),
            Notification::InputEnded => tr!(
                self,
                "No more input: leaving the game.",
                "Ввод закончился: выход из игры.",
                "输入已结束，正在离开。",
                "輸入已結束，正在離開。"
            )
            .to_owned(),
            Notification::DigitOrderChanged(order) => self.digit_order(*order).to_owned(),
            Notification::BotFailed => tr!(
                self,
                "The bot could not come.",
                "Бот не смог прийти.",
                "机器人没能加入。",
                "機器人沒能加入。"
            )
            .to_owned(),
            Notification::SettingsSaved(path) => {
                let path = sanitize(path);
                trf!(
                    self,
                    "The settings are written to {path}.",
                    "Настройки записаны в {path}.",
                    "设置已写入 {path}。",
                    "設定已寫入 {path}。"
                )
            }
            Notification::SettingsSaveFailed(error) => self.settings_file_error(error),
            Notification::LanguageChanged => {
                let name = self.lang().own_name();
                trf!(self, "Language: {name}.", "Язык: {name}.", "语言：{name}。", "語言：{name}。")
            }
            Notification::FileSaved(path) => {
                let path = sanitize(path);
                trf!(
                    self,
                    "The game is written to {path}.",
                    "Партия записана в файл {path}.",
                    "棋局已写入 {path}。",
                    "棋局已寫入 {path}。"
                )
            }
            Notification::FileSaveFailed { path, error } => {
                let (path, error) = (sanitize(path), self.io_error(error));
                trf!(
                    self,
                    "Cannot write {path}: {error}.",
                    "Не удалось записать {path}: {error}.",
                    "无法写入 {path}：{error}。",
                    "無法寫入 {path}：{error}。"
                )
            }
            Notification::FileReadFailed { path, error } => {
                let (path, error) = (sanitize(path), self.io_error(error));
                trf!(
                    self,
                    "Cannot read {path}: {error}.",
                    "Не удалось прочитать {path}: {error}.",
                    "无法读取 {path}：{error}。",
                    "無法讀取 {path}：{error}。"
                )
            }
            Notification::RecordInvalid { path, error } => {
                self.with_period(&self.with_reason(&sanitize(path), &self.record_error(error)))
            }
            Notification::Record { players: [x, o], .. } => {
                let (x, o) = (sanitize(x), sanitize(o));
                trf!(
                    self,
                    "{x} (X) against {o} (O).",
                    "{x} (X) против {o} (O).",
                    "{x} (X) 对 {o} (O)。",
                    "{x} (X) 對 {o} (O)。"
                )
            }
            Notification::Exiting(_) => tr!(self, "Goodbye.", "До свидания.", "再见。", "再見。").to_owned(),
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
