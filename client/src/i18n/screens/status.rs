//! Texts of the status row: whose turn it is, or what happened.

use std::time::Duration;

use noughts_protocol::{Offer, Outcome, Rules, Seat};

use crate::facts::PlayerRef;
use crate::i18n::game::{with_blank_after, with_blank_before};
use crate::i18n::lang::Lang;
use crate::i18n::{Texts, russian_plural, tr, trf};
use crate::input::Key;

impl Texts {
    pub fn turn_headline(self) -> &'static str {
        tr!(self, "YOUR MOVE", "ВАШ ХОД", "轮到你", "輪到你")
    }

    /// States how much time is left for a first move, which costs none.
    pub fn first_move_within(self, left_ms: u64) -> String {
        let left = self.seconds(left_ms);
        trf!(
            self,
            "move within {left}",
            "ход за {left}",
            "{left}内落子",
            "{left}內落子"
        )
    }

    /// Headline for two people at one terminal.
    pub fn person_turn_headline(self, who: &PlayerRef) -> String {
        let PlayerRef { name, seat, .. } = who;
        trf!(
            self,
            "{name} ({seat}) TO MOVE",
            "ХОДИТ {name} ({seat})",
            "轮到 {name} ({seat})",
            "輪到 {name} ({seat})"
        )
    }

    pub fn to_move_headline(self, name: &str) -> String {
        let zh_name = with_blank_before(name);
        trf!(
            self,
            "{name} to move",
            "ходит {name}",
            "轮到{zh_name}",
            "輪到{zh_name}"
        )
    }

    pub fn own_mark(self, seat: Seat) -> String {
        trf!(
            self,
            "you are {seat}",
            "вы за {seat}",
            "你执 {seat}",
            "你執 {seat}"
        )
    }

    pub fn cursor_at(self, cell: &str) -> String {
        trf!(
            self,
            "cursor {cell}",
            "курсор {cell}",
            "光标 {cell}",
            "游標 {cell}"
        )
    }

    pub fn falls_to(self, column: u8, cell: &str) -> String {
        trf!(
            self,
            "column {column}, falls to {cell}",
            "столбец {column}, упадёт на {cell}",
            "第 {column} 列，落到 {cell}",
            "第 {column} 行，落到 {cell}"
        )
    }

    pub fn live_headline(self) -> &'static str {
        tr!(self, "LIVE", "СЕЙЧАС", "实时", "即時")
    }

    pub fn move_number(self, number: usize) -> String {
        trf!(
            self,
            "move {number}",
            "ход {number}",
            "第 {number} 手",
            "第 {number} 手"
        )
    }

    pub fn earlier_position(self, at: usize, all: usize) -> String {
        trf!(
            self,
            "MOVE {at} OF {all}",
            "ХОД {at} ИЗ {all}",
            "第 {at} 手，共 {all} 手",
            "第 {at} 手，共 {all} 手"
        )
    }

    /// Says which keys lead forward and back to the game.
    pub fn forward_keys(self, forward: &str, last: &str) -> [String; 2] {
        [
            trf!(
                self,
                "{forward} forward",
                "{forward} вперёд",
                "{forward} 下一手",
                "{forward} 下一手"
            ),
            trf!(
                self,
                "{last} latest",
                "{last} к последнему",
                "{last} 最新",
                "{last} 最新"
            ),
        ]
    }

    /// Headline of a result for the reader: a player or a spectator.
    pub fn result_headline(self, outcome: &Outcome, players: &[PlayerRef; 2]) -> String {
        let Some(winner) = outcome.winner() else {
            return match outcome {
                Outcome::Aborted => tr!(
                    self,
                    "GAME ABORTED",
                    "ПАРТИЯ ОТМЕНЕНА",
                    "对局取消",
                    "對局取消"
                )
                .to_owned(),
                Outcome::Full
                | Outcome::Agreed
                | Outcome::Abandoned { .. }
                | Outcome::Line { .. }
                | Outcome::Resigned { .. }
                | Outcome::Flag { .. } => tr!(self, "DRAW", "НИЧЬЯ", "和棋", "和棋").to_owned(),
            };
        };
        let (winner, loser) = (&players[winner.index()], &players[winner.other().index()]);
        if winner.you {
            return tr!(self, "YOU WIN", "ВЫ ВЫИГРАЛИ", "你赢了", "你贏了").to_owned();
        }
        if loser.you {
            return tr!(self, "YOU LOST", "ВЫ ПРОИГРАЛИ", "你输了", "你輸了").to_owned();
        }
        let name = &winner.name;
        let zh_name = with_blank_after(name.as_str());
        trf!(
            self,
            "{name} WINS",
            "ВЫИГРАЛ {name}",
            "{zh_name}获胜",
            "{zh_name}獲勝"
        )
    }

    /// States how a game ended, without the winner.
    pub fn result_reason(
        self,
        outcome: &Outcome,
        rules: &Rules,
        players: &[PlayerRef; 2],
    ) -> String {
        match outcome {
            Outcome::Line { line, .. } => {
                let name = self.winning_line_name(line.name);
                let cells = self.cells(&line.cells, rules).replace(' ', "-");
                match rules.misere() {
                    false => format!("{name} {cells}"),
                    true => trf!(
                        self,
                        "a line loses: {name} {cells}",
                        "линия проигрывает: {name} {cells}",
                        "连线者负：{name} {cells}",
                        "連線者負：{name} {cells}"
                    ),
                }
            }
            Outcome::Full => tr!(
                self,
                "the board is full",
                "доска заполнена",
                "棋盘已满",
                "棋盤已滿"
            )
            .to_owned(),
            Outcome::Agreed => tr!(
                self,
                "by agreement",
                "по соглашению",
                "双方议和",
                "雙方議和"
            )
            .to_owned(),
            Outcome::Aborted => {
                tr!(self, "no result", "без результата", "无结果", "無結果").to_owned()
            }
            Outcome::Flag { .. } => {
                tr!(self, "time ran out", "время вышло", "超时", "超時").to_owned()
            }
            Outcome::Resigned { winner } => self.resigned(&players[winner.other().index()]),
            Outcome::Abandoned {
                winner: Some(winner),
            } => self.not_returned(players[winner.other().index()].name.as_str()),
            Outcome::Abandoned { winner: None } => tr!(
                self,
                "a player did not return",
                "игрок не вернулся",
                "一方未返回",
                "一方未返回"
            )
            .to_owned(),
        }
    }

    fn resigned(self, loser: &PlayerRef) -> String {
        let name = &loser.name;
        let zh_name = with_blank_after(name.as_str());
        if loser.you {
            return tr!(self, "you resigned", "вы сдались", "你认输", "你認輸").to_owned();
        }
        trf!(
            self,
            "{name} resigned",
            "{name} сдаётся",
            "{zh_name}认输",
            "{zh_name}認輸"
        )
    }

    /// States that a player did not come back in time.
    pub fn not_returned(self, name: &str) -> String {
        let zh_name = with_blank_after(name);
        trf!(
            self,
            "{name} did not return",
            "{name} не возвращается",
            "{zh_name}未返回",
            "{zh_name}未返回"
        )
    }

    /// Result of one player beside the name.
    pub fn player_result(self, outcome: &Outcome, seat: Seat) -> &'static str {
        match outcome.winner() {
            None if *outcome == Outcome::Aborted => "",
            None => tr!(self, "draw", "ничья", "和", "和"),
            Some(winner) if winner == seat => tr!(self, "won", "победа", "胜", "勝"),
            Some(_) => tr!(self, "lost", "поражение", "负", "負"),
        }
    }

    pub fn offer_headline(self, name: &str, offer: Offer) -> String {
        let zh_name = with_blank_after(name);
        match offer {
            Offer::Draw => {
                trf!(
                    self,
                    "{name} OFFERS A DRAW",
                    "{name} ПРЕДЛАГАЕТ НИЧЬЮ",
                    "{zh_name}提和",
                    "{zh_name}提和"
                )
            }
            Offer::Takeback => trf!(
                self,
                "{name} ASKS TO TAKE BACK",
                "{name} ПРОСИТ ВЕРНУТЬ ХОД",
                "{zh_name}请求悔棋",
                "{zh_name}請求悔棋"
            ),
            Offer::Rematch => trf!(
                self,
                "{name} OFFERS A REMATCH",
                "{name} ПРЕДЛАГАЕТ РЕВАНШ",
                "{zh_name}提议再来一局",
                "{zh_name}提議再來一局"
            ),
        }
    }

    /// Says which keys answer an offer.
    pub fn answer_keys(self, accept: Key, decline: Key) -> [String; 2] {
        [
            trf!(
                self,
                "{accept} accept",
                "{accept} согласиться",
                "{accept} 接受",
                "{accept} 接受"
            ),
            trf!(
                self,
                "{decline} decline",
                "{decline} отклонить",
                "{decline} 拒绝",
                "{decline} 拒絕"
            ),
        ]
    }

    /// Headline for an opponent who was found during a local game.
    pub fn opponent_is_here(self, name: &str) -> String {
        let zh_name = with_blank_after(name);
        trf!(
            self,
            "{name} IS HERE",
            "{name} ЖДЁТ ВАС",
            "{zh_name}来了",
            "{zh_name}來了"
        )
    }

    /// Says which key leads to that opponent.
    pub fn meet_key(self, key: &str) -> String {
        trf!(
            self,
            "{key} starts",
            "{key} начать",
            "{key} 开始",
            "{key} 開始"
        )
    }

    /// Says which key withdraws the player's own offer.
    pub fn withdraw_key(self, key: Key) -> String {
        trf!(
            self,
            "{key} withdraw",
            "{key} отозвать",
            "{key} 收回",
            "{key} 收回"
        )
    }

    /// Headline for an absent player, with the time left to return.
    pub fn disconnected_headline(self, name: &str, left: Option<u64>) -> String {
        let zh_name = with_blank_after(name);
        match left {
            Some(left) => {
                let left = self.countdown(left);
                trf!(
                    self,
                    "{name} is DISCONNECTED: {left} to return",
                    "{name} НЕ НА СВЯЗИ: {left} на возвращение",
                    "{zh_name}已断线：还有 {left}",
                    "{zh_name}已斷線：還有 {left}"
                )
            }
            None => {
                trf!(
                    self,
                    "{name} is DISCONNECTED",
                    "{name} НЕ НА СВЯЗИ",
                    "{zh_name}已断线",
                    "{zh_name}已斷線"
                )
            }
        }
    }

    pub fn left_headline(self, name: &str, left: Option<u64>) -> String {
        let zh_name = with_blank_after(name);
        match left {
            Some(left) => {
                let left = self.countdown(left);
                trf!(
                    self,
                    "{name} HAS LEFT: {left} to return",
                    "ИГРОК {name} ВЫШЕЛ: {left} на возвращение",
                    "{zh_name}已离开：还有 {left}",
                    "{zh_name}已離開：還有 {left}"
                )
            }
            None => trf!(
                self,
                "{name} HAS LEFT",
                "ИГРОК {name} ВЫШЕЛ",
                "{zh_name}已离开",
                "{zh_name}已離開"
            ),
        }
    }

    /// Says which keys claim the game of an absent player.
    pub fn claim_keys(self, win: Key, draw: Option<Key>) -> Vec<String> {
        let win = trf!(
            self,
            "{win} claim the win",
            "{win} засчитать победу",
            "{win} 判胜",
            "{win} 判勝"
        );
        let draw = draw.map(|draw| {
            trf!(
                self,
                "{draw} claim a draw",
                "{draw} засчитать ничью",
                "{draw} 判和",
                "{draw} 判和"
            )
        });
        [Some(win), draw].into_iter().flatten().collect()
    }

    pub fn connection_lost_headline(self, attempt: u32, retry_in_ms: u64) -> String {
        let left = self.seconds(retry_in_ms);
        match self.lang() {
            Lang::En => format!("CONNECTION LOST: trying again in {left} (try {attempt})"),
            Lang::Ru => format!("НЕТ СВЯЗИ: новая попытка через {left} (попытка {attempt})"),
            Lang::Hans => format!("连接已断开：{left}后重试（第 {attempt} 次）"),
            Lang::Hant => format!("連線已中斷：{left}後重試（第 {attempt} 次）"),
        }
    }

    pub fn connection_closed_headline(self) -> &'static str {
        tr!(
            self,
            "CONNECTION CLOSED",
            "СВЯЗЬ ЗАКРЫТА",
            "连接已关闭",
            "連線已關閉"
        )
    }

    /// Formats a countdown as minutes and seconds, rounded up.
    pub fn countdown(self, ms: u64) -> String {
        let seconds = Duration::from_millis(ms.div_ceil(1000) * 1000).as_secs();
        format!("{}:{:02}", seconds / 60, seconds % 60)
    }

    /// Heading of the list of moves.
    pub fn moves_heading(self) -> &'static str {
        tr!(self, "Moves", "Ходы", "着法", "著法")
    }

    /// Heading of the list of moves that covers the screen.
    pub fn all_moves_heading(self) -> &'static str {
        tr!(
            self,
            "Moves of this game",
            "Ходы этой партии",
            "本局着法",
            "本局著法"
        )
    }

    /// Label of the list of moves while the latest position is shown.
    pub fn moves_live(self) -> &'static str {
        tr!(self, "live", "последний", "最新", "最新")
    }

    /// Label of the list of moves while an earlier position is shown.
    pub fn moves_behind(self, count: usize) -> String {
        trf!(
            self,
            "{count} behind",
            "{count} назад",
            "落后 {count} 手",
            "落後 {count} 手"
        )
    }

    /// Numbers a game and names its time control.
    pub fn game_number(self, number: u32, clock: &str) -> String {
        trf!(
            self,
            "Game {number}, {clock}",
            "Партия {number}, {clock}",
            "第 {number} 局，{clock}",
            "第 {number} 局，{clock}"
        )
    }

    /// Title of a replay or of an analysis.
    pub fn replay_title(self, is_analysis: bool, rules: &str) -> String {
        if is_analysis {
            trf!(
                self,
                "Analysis: {rules}",
                "Разбор: {rules}",
                "分析：{rules}",
                "分析：{rules}"
            )
        } else {
            trf!(
                self,
                "Replay: {rules}",
                "Запись: {rules}",
                "回放：{rules}",
                "回放：{rules}"
            )
        }
    }

    /// Headline of a position that the player tries, this many moves away from the record.
    pub fn own_line(self, moves: usize) -> String {
        let plural = if moves == 1 { "" } else { "s" };
        let counted = russian_plural(moves as u64, "ход", "хода", "ходов");
        trf!(
            self,
            "YOUR LINE, {moves} move{plural} from the game",
            "ВАШ ВАРИАНТ, {moves} {counted} от партии",
            "你的变化，离实战 {moves} 手",
            "你的變化，離實戰 {moves} 手"
        )
    }

    /// Meanings of the letters `w`, `=` and `l`.
    pub fn value_names(self) -> [&'static str; 3] {
        [
            tr!(self, "wins", "победа", "胜", "勝"),
            tr!(self, "draws", "ничья", "和", "和"),
            tr!(self, "loses", "проигрыш", "负", "負"),
        ]
    }

    pub fn values_for(self, seat: Seat) -> String {
        trf!(
            self,
            "for {seat}, if it moves there",
            "для {seat}, если ходит туда",
            "{seat} 落子于此的结果",
            "{seat} 落子於此的結果"
        )
    }

    pub fn room_label(self, room: &str) -> String {
        trf!(
            self,
            "room {room}",
            "комната {room}",
            "房间 {room}",
            "房間 {room}"
        )
    }

    /// State of the opponent's connection in the panel.
    pub fn connected_label(self, lag: Option<u32>) -> String {
        match lag {
            Some(ms) => {
                trf!(
                    self,
                    "connected, {ms} ms",
                    "на связи, {ms} мс",
                    "在线，{ms} 毫秒",
                    "在線，{ms} 毫秒"
                )
            }
            None => tr!(self, "connected", "на связи", "在线", "在線").to_owned(),
        }
    }
}
