//! The sentence of each note.

use noughts_protocol::Seat;
use noughts_protocol::wire::RejectCode;

use super::refusal::shown;
use super::{Words, plural, say, text};
use crate::model::{Ask, Note, Who};

impl Words {
    /// A note as one sentence or two. What takes a picture (the board, lists, help) the views draw.
    pub fn note(self, note: &Note) -> String {
        match note {
            Note::Connecting(server) => say!(
                self,
                "Connecting to {server}.",
                "Подключение к {server}.",
                "正在连接 {server}。",
                "正在連線至 {server}。"
            ),
            Note::Connected { name, .. } => say!(
                self,
                "Connected as {name}.",
                "Подключено. Имя: {name}.",
                "已连接，名字：{name}。",
                "已連線，名字：{name}。"
            ),
            Note::Offline { why, retry_in } => {
                let (why, wait) = (self.offline(why), self.duration(*retry_in));
                say!(
                    self,
                    "The connection is lost: {why}. Trying again in {wait}.",
                    "Связь потеряна: {why}. Новая попытка через {wait}.",
                    "连接中断：{why}。{wait}后重试。",
                    "連線中斷：{why}。{wait}後重試。"
                )
            }
            Note::Back => {
                text!(self, "The connection is back.", "Связь восстановлена.", "连接已恢复。", "連線已恢復。")
                    .to_owned()
            }
            Note::Ended { ended, server } => self.ended(ended, server),
            Note::RoomGone => text!(
                self,
                "The server no longer knows this room, or your seat in it.",
                "Сервер больше не знает этой комнаты или вашего места в ней.",
                "服务器已不认识这个房间，或你在其中的座位。",
                "伺服器已不認識這個房間，或你在其中的座位。"
            )
            .to_owned(),
            Note::Restarting { back_in } => {
                let wait = self.duration(*back_in);
                say!(
                    self,
                    "The server restarts and is back in {wait}.",
                    "Сервер перезапускается и вернётся через {wait}.",
                    "服务器正在重启，{wait}后恢复。",
                    "伺服器正在重新啟動，{wait}後恢復。"
                )
            }
            Note::Seeking { rules, clock } => {
                let game = self.game(rules, *clock);
                say!(
                    self,
                    "Waiting for an opponent: {game}.",
                    "Ожидание соперника: {game}.",
                    "正在等待对手：{game}。",
                    "正在等待對手：{game}。"
                )
            }
            Note::Invite { rules, clock, .. } => {
                let game = self.game(rules, *clock);
                say!(
                    self,
                    "Waiting in your room: {game}.",
                    "Ожидание в вашей комнате: {game}.",
                    "正在你的房间等待：{game}。",
                    "正在你的房間等待：{game}。"
                )
            }
            Note::BotInvited(level) => say!(
                self,
                "A bot is on its way (level {level}).",
                "Бот сейчас придёт (уровень {level}).",
                "机器人正在赶来 (级别 {level})。",
                "機器人正在趕來 (級別 {level})。"
            ),
            Note::Joined { rules, clock, players, you, next } => {
                let player = |seat: Seat| match &players[seat.index()] {
                    Some(player) => format!("{} ({seat})", self.player(player)),
                    None => {
                        say!(self, "nobody ({seat})", "никого ({seat})", "空位 ({seat})", "空位 ({seat})")
                    }
                };
                let part = match you {
                    Some(seat) => {
                        say!(self, "You have {seat}", "Ваш знак {seat}", "你执 {seat}", "你執 {seat}")
                    }
                    None => text!(self, "You watch", "Вы зритель", "你在观战", "你在觀戰").to_owned(),
                };
                let (x, o) = (player(Seat::X), player(Seat::O));
                let (game, next) = (self.game(rules, *clock), self.next(next));
                say!(
                    self,
                    "{part}: {x} against {o}, {game}.{next}",
                    "{part}: {x} против {o}, {game}.{next}",
                    "{part}：{x} 对 {o}，{game}。{next}",
                    "{part}：{x} 對 {o}，{game}。{next}"
                )
            }
            Note::Rooms { rooms, seeks, .. } => {
                let (rooms, seeks) = (rooms.len(), seeks.len());
                say!(
                    self,
                    "Rooms: {rooms}. Waiting to be paired: {seeks}.",
                    "Комнат: {rooms}. Ждут соперника: {seeks}.",
                    "房间：{rooms}。等待配对：{seeks}。",
                    "房間：{rooms}。等待配對：{seeks}。"
                )
            }
            Note::Seated(who) => {
                let Who { name, seat, .. } = who;
                say!(
                    self,
                    "{name} has sat down to play {seat}.",
                    "За стол садится {name}, знак {seat}.",
                    "{name} 入座，执 {seat}。",
                    "{name} 入座，執 {seat}。"
                )
            }
            Note::Started { number, rules, players, next } => self.started(*number, rules, players, next),
            Note::Moved { who, cell, rules, next } => {
                let (name, cell, next) = (self.who(who), rules.cell_text(*cell), self.next(next));
                let plays = if who.you { "play" } else { "plays" };
                match self.lang() {
                    crate::lang::Lang::En => format!("{name} {plays} {cell}.{next}"),
                    crate::lang::Lang::Ru => format!("{name}: ход {cell}.{next}"),
                    crate::lang::Lang::Hans | crate::lang::Lang::Hant => {
                        format!("{name} 落子 {cell}。{next}")
                    }
                }
            }
            Note::Offered { who, offer } => self.offered(who, *offer),
            Note::Declined { who, offer } => {
                let (who, offer) = (self.who(who), self.offer(*offer));
                say!(
                    self,
                    "{who}: no to {offer}.",
                    "{who}: отказ ({offer}).",
                    "{who} 拒绝：{offer}。",
                    "{who} 拒絕：{offer}。"
                )
            }
            Note::TakenBack { plies, next } => {
                let next = self.next(next);
                let moves = plural(u64::from(*plies), "ход", "хода", "ходов");
                if *plies == 1 {
                    say!(
                        self,
                        "One move is taken back.{next}",
                        "Ход взят назад.{next}",
                        "已悔一步。{next}",
                        "已悔一步。{next}"
                    )
                } else {
                    say!(
                        self,
                        "{plies} moves are taken back.{next}",
                        "Взято назад: {plies} {moves}.{next}",
                        "已悔 {plies} 步。{next}",
                        "已悔 {plies} 步。{next}"
                    )
                }
            }
            Note::Over { outcome, rules, players, score } => {
                let (outcome, score) = (self.outcome(outcome, rules, players), self.score(players, *score));
                say!(
                    self,
                    "{outcome} Score: {score}.",
                    "{outcome} Счёт: {score}.",
                    "{outcome}比分：{score}。",
                    "{outcome}比分：{score}。"
                )
            }
            Note::Several(count) => self.several(*count),
            Note::Hint => text!(
                self,
                "Type a cell to play it, b for the board, help for more.",
                "Введите клетку, чтобы пойти; b - доска, help - справка.",
                "输入格子即落子；b 看棋盘，help 看帮助。",
                "輸入格子即落子；b 看棋盤，help 看說明。"
            )
            .to_owned(),
            Note::EngineFailed(fault) => self.engine_failed(fault),
            Note::Studying => self.studying().to_owned(),
            Note::Values(values) => self.best_cells(values),
            Note::Review(review) => self.losing_mistake(review),
            Note::PlayAgain => text!(
                self,
                "Play again? y or n.",
                "Сыграть ещё? да или нет (y, n).",
                "再来一局？是或否 (y, n)。",
                "再來一局？是或否 (y, n)。"
            )
            .to_owned(),
            Note::Closed(closing) => self.closed(*closing).to_owned(),
            Note::Presence { who, presence, claim_in } => {
                self.attendance(&self.who(who), *presence, *claim_in)
            }
            Note::Claimable(who) => {
                let who = self.who(who);
                say!(
                    self,
                    "{who} did not return: on its turn type claim win or claim draw.",
                    "{who}: срок возвращения вышел; в ход соперника введите claim win (победа) или claim draw (ничья).",
                    "{who} 未返回：轮到对方时输入 claim win (判胜) 或 claim draw (判和)。",
                    "{who} 未返回：輪到對方時輸入 claim win (判勝) 或 claim draw (判和)。"
                )
            }
            Note::Watching(count) => self.sentence(&self.watching(*count)),
            Note::Thinks { who, thinks, rules } => {
                let (who, thinks) = (self.who(who), self.thinks_so(thinks, rules));
                say!(
                    self,
                    "{who} thinks: {thinks}.",
                    "{who}, оценка: {thinks}.",
                    "{who} 评估：{thinks}。",
                    "{who} 評估：{thinks}。"
                )
            }
            Note::Refused { ask, reject } => {
                if let (Some(Ask::Goal), RejectCode::RoomFull) = (ask, reject.code) {
                    return text!(
                        self,
                        "Both seats of this room are taken: noughts watch shows the game.",
                        "Оба места в комнате заняты: noughts watch покажет игру.",
                        "房间两个座位都已有人：noughts watch 可观战。",
                        "房間兩個座位都已有人：noughts watch 可觀戰。"
                    )
                    .to_owned();
                }
                let why = self.reject(reject);
                say!(self, "Refused: {why}.", "Отказ: {why}.", "被拒绝：{why}。", "被拒絕：{why}。")
            }
            Note::Unsent(error) => self.unsent(*error).to_owned(),
            Note::Illegal { reject, cell } => self.stop(&self.because(cell, &self.reject(reject))),
            Note::NotNow(why) => self.not_now(*why).to_owned(),
            Note::Unreadable { text, error } => self.typed(text, error),
            Note::Asked { field, .. } => self.field(field.id).to_owned(),
            Note::Field(error) => self.field_error(*error),
            Note::InputEnded => text!(
                self,
                "No more input: leaving the game.",
                "Ввод закончился: выход из игры.",
                "输入已结束，正在离开。",
                "輸入已結束，正在離開。"
            )
            .to_owned(),
            Note::Keys(order) => self.digits(*order).to_owned(),
            Note::BotFailed => text!(
                self,
                "The bot could not come.",
                "Бот не смог прийти.",
                "机器人没能加入。",
                "機器人沒能加入。"
            )
            .to_owned(),
            Note::SettingsSaved(path) => {
                let path = shown(path);
                say!(
                    self,
                    "The settings are written to {path}.",
                    "Настройки записаны в {path}.",
                    "设置已写入 {path}。",
                    "設定已寫入 {path}。"
                )
            }
            Note::SettingsNotSaved(error) => self.unread_settings(error),
            Note::Speaks => {
                let name = self.lang().own_name();
                say!(self, "Language: {name}.", "Язык: {name}.", "语言：{name}。", "語言：{name}。")
            }
            Note::Saved(path) => {
                let path = shown(path);
                say!(
                    self,
                    "The game is written to {path}.",
                    "Партия записана в файл {path}.",
                    "棋局已写入 {path}。",
                    "棋局已寫入 {path}。"
                )
            }
            Note::NotSaved { path, error } => {
                let (path, error) = (shown(path), self.system(error));
                say!(
                    self,
                    "Cannot write {path}: {error}.",
                    "Не удалось записать {path}: {error}.",
                    "无法写入 {path}：{error}。",
                    "無法寫入 {path}：{error}。"
                )
            }
            Note::NotRead { path, error } => {
                let (path, error) = (shown(path), self.system(error));
                say!(
                    self,
                    "Cannot read {path}: {error}.",
                    "Не удалось прочитать {path}: {error}.",
                    "无法读取 {path}：{error}。",
                    "無法讀取 {path}：{error}。"
                )
            }
            Note::BadRecord { path, error } => {
                self.stop(&self.because(&shown(path), &self.record_error(error)))
            }
            Note::Record { players: [x, o], .. } => {
                let (x, o) = (shown(x), shown(o));
                say!(
                    self,
                    "{x} (X) against {o} (O).",
                    "{x} (X) против {o} (O).",
                    "{x} (X) 对 {o} (O)。",
                    "{x} (X) 對 {o} (O)。"
                )
            }
            Note::Bye(_) => text!(self, "Goodbye.", "До свидания.", "再见。", "再見。").to_owned(),
            Note::Answer(answer) => self.answer(answer),
            Note::Menu { .. } => self.tagline().to_owned(),
            Note::MayContinue(game) => self.may_continue(game),
            Note::NothingToContinue => self.nothing_to_continue().to_owned(),
            Note::NotContinued(error) => self.not_continued(error),
            Note::NotKept(error) => self.not_kept(error),
            Note::Damaged(count) => self.damaged(*count),
        }
    }
}
