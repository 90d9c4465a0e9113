//! Answers to questions about a game, such as for its last move or its clocks.

use noughts_protocol::{Cell, Rules, Seat};

use crate::facts::{QueryAnswer, ScanLabel};
use crate::i18n::game::sentences::with_blank_after;
use crate::i18n::{Texts, tr, trf};
use crate::input::cell_names::{cell_name, row_number};

impl Texts {
    pub(crate) fn query_answer(self, answer: &QueryAnswer) -> String {
        match answer {
            QueryAnswer::Board { position, .. } => self.rules(position.rules()),
            QueryAnswer::Scan { name, cells, rules } => self.scan_text(*name, cells, rules),
            QueryAnswer::Marks { who, cells, .. } if cells.is_empty() => {
                let name = &who.name;
                let zh_name = with_blank_after(name.as_str());
                match who.you {
                    true => tr!(
                        self,
                        "You have not moved yet.",
                        "Вы ещё не ходили.",
                        "你还没有落子。",
                        "你還沒有落子。"
                    )
                    .to_owned(),
                    false => trf!(
                        self,
                        "{name} has not moved yet.",
                        "{name}: ходов ещё не было.",
                        "{zh_name}还没有落子。",
                        "{zh_name}還沒有落子。"
                    ),
                }
            }
            QueryAnswer::Marks { who, cells, rules } => self.with_period(
                &self.with_reason(&self.player_subject(who), &self.cells(cells, rules)),
            ),
            QueryAnswer::Last(None) => tr!(
                self,
                "No moves yet.",
                "Ходов ещё не было.",
                "还没有落子。",
                "還沒有落子。"
            )
            .to_owned(),
            QueryAnswer::Last(Some((who, cell, rules))) => {
                let (who, cell) = (self.player_object(who), cell_name(rules, *cell));
                trf!(
                    self,
                    "Last: {who} at {cell}.",
                    "Последний ход: {who} {cell}.",
                    "上一手：{who} 落子 {cell}。",
                    "上一手：{who} 落子 {cell}。"
                )
            }
            QueryAnswer::Clocks(None) => tr!(
                self,
                "No clock in this game.",
                "Партия без часов.",
                "本局不计时。",
                "本局不計時。"
            )
            .to_owned(),
            QueryAnswer::Clocks(Some([(x, left_x), (o, left_o)])) => {
                let (x, o) = (self.player_object(x), self.player_object(o));
                let (left_x, left_o) = (self.clock(*left_x), self.clock(*left_o));
                trf!(
                    self,
                    "Time left: {x} {left_x}, {o} {left_o}.",
                    "Осталось времени: {x} {left_x}, {o} {left_o}.",
                    "剩余时间：{x} {left_x}，{o} {left_o}。",
                    "剩餘時間：{x} {left_x}，{o} {left_o}。"
                )
            }
            QueryAnswer::Opponent {
                who,
                bot,
                presence,
                lag,
            } => {
                let kind = match bot {
                    true => tr!(self, "bot", "бот", "机器人", "機器人"),
                    false => tr!(self, "person", "человек", "真人", "真人"),
                };
                let (who, presence) = (self.player_subject(who), self.presence(*presence));
                let lag = lag
                    .map(|ms| trf!(self, ", {ms} ms", ", {ms} мс", "，{ms} 毫秒", "，{ms} 毫秒"));
                let lag = lag.unwrap_or_default();
                trf!(
                    self,
                    "{who}: {kind}, {presence}{lag}.",
                    "{who}: {kind}, {presence}{lag}.",
                    "{who}：{kind}，{presence}{lag}。",
                    "{who}：{kind}，{presence}{lag}。"
                )
            }
            QueryAnswer::Help(_) => tr!(self, "Help.", "Справка.", "帮助。", "說明。").to_owned(),
        }
    }

    /// Describes a row or column as runs of equal cells, which suits screen readers.
    fn scan_text(self, name: ScanLabel, cells: &[(Cell, Option<Seat>)], rules: &Rules) -> String {
        let heading = match name {
            ScanLabel::Row(row) => {
                let row = row_number(rules, row);
                trf!(
                    self,
                    "Row {row}",
                    "Строка {row}",
                    "横行 {row}",
                    "橫列 {row}"
                )
            }
            ScanLabel::Column(column) => {
                let column = char::from(b'a' + column);
                trf!(
                    self,
                    "Column {column}",
                    "Столбец {column}",
                    "竖列 {column}",
                    "直行 {column}"
                )
            }
        };
        let mut segments: Vec<String> = Vec::new();
        let mut rest = cells;
        while let Some((first, mark)) = rest.first() {
            let length = rest.iter().take_while(|(_, other)| other == mark).count();
            let (segment, after) = rest.split_at(length);
            rest = after;
            let content = mark.map_or(tr!(self, "free", "пусто", "空", "空"), |seat| {
                self.mark(seat)
            });
            let (from, to) = (
                cell_name(rules, *first),
                segment.last().map(|(cell, _)| cell_name(rules, *cell)),
            );
            segments.push(match to {
                Some(to) if length > 1 => trf!(
                    self,
                    "{content} {from} to {to}",
                    "{content} от {from} до {to}",
                    "{content} {from} 至 {to}",
                    "{content} {from} 至 {to}"
                ),
                Some(_) | None => format!("{content} {from}"),
            });
        }
        let separator = tr!(self, ", ", ", ", "，", "，");
        self.with_period(&self.with_reason(&heading, &segments.join(separator)))
    }
}
