//! The command words, in every language.

use crate::lang::Lang;

/// A command word: its names, and how it is written with what follows it.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    /// The names, the usual one first.
    pub names: &'static [&'static str],
    /// The names in Russian and in Chinese of either script. All of them are understood, whatever the
    /// language that is spoken; help lists those of that one.
    ru: &'static [&'static str],
    hans: &'static [&'static str],
    hant: &'static [&'static str],
    /// What follows the name; empty if nothing does.
    pub argument: &'static str,
    /// Which it is.
    pub word: Word,
}

/// The command words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    Board,
    Scan,
    Mine,
    Last,
    Clocks,
    Opponent,
    Resign,
    Draw,
    Undo,
    Rematch,
    Accept,
    Decline,
    Claim,
    Flag,
    Bot,
    Values,
    Review,
    Keys,
    Lang,
    Save,
    Help,
    Quit,
}

type Names = &'static [&'static str];

const fn entry(
    names: Names,
    ru: Names,
    hans: Names,
    hant: Names,
    argument: &'static str,
    word: Word,
) -> Entry {
    Entry { names, ru, hans, hant, argument, word }
}

/// All command words, in the order in which help shows them.
#[rustfmt::skip]
pub const ENTRIES: &[Entry] = &[
    entry(&["b", "board"], &["доска"], &["棋盘"], &["棋盤"], "", Word::Board),
    entry(&["s", "scan"], &["строка"], &["读"], &["讀"], "8", Word::Scan),
    entry(&["p", "marks"], &["мои"], &["我的"], &["我的"], "", Word::Mine),
    entry(&["l", "last"], &["последний"], &["上一手"], &["上一手"], "", Word::Last),
    entry(&["c", "clocks", "clock"], &["часы", "время"], &["时间"], &["時間"], "", Word::Clocks),
    entry(&["o", "opponent"], &["соперник"], &["对手"], &["對手"], "", Word::Opponent),
    entry(&["draw"], &["ничья"], &["和棋", "求和", "提和"], &["和棋", "求和", "提和"], "", Word::Draw),
    entry(&["undo", "takeback"], &["назад", "вернуть"], &["悔棋"], &["悔棋"], "", Word::Undo),
    entry(&["accept", "yes", "y"], &["да", "д", "принять"], &["是", "接受", "同意"], &["是", "接受", "同意"],
        "[draw|undo|rematch]", Word::Accept),
    entry(&["decline", "no", "n"], &["нет", "н", "отклонить"], &["否", "拒绝", "不"], &["否", "拒絕", "不"],
        "[draw|undo|rematch]", Word::Decline),
    entry(&["rematch", "again", "r"], &["реванш", "ещё", "еще"], &["再来", "再来一局"], &["再來", "再來一局"],
        "", Word::Rematch),
    entry(&["resign"], &["сдаюсь", "сдаться"], &["认输"], &["認輸"], "", Word::Resign),
    entry(&["claim"], &["присудить"], &["判"], &["判"], "win|draw", Word::Claim),
    entry(&["flag"], &["флаг"], &["超时"], &["超時"], "", Word::Flag),
    entry(&["bot"], &["бот"], &["机器人"], &["機器人"], "[easy|medium|hard|perfect]", Word::Bot),
    entry(&["values", "v", "hint"], &["оценка"], &["评估"], &["評估"], "", Word::Values),
    entry(&["review"], &["разбор"], &["复盘"], &["覆盤", "復盤"], "", Word::Review),
    entry(&["keys"], &["цифры"], &["数字"], &["數字"], "reading|numpad", Word::Keys),
    entry(&["lang"], &["язык"], &["语言"], &["語言"], "en|ru|zh-Hans|zh-Hant", Word::Lang),
    entry(&["save"], &["запись"], &["保存"], &["儲存"], "FILE", Word::Save),
    entry(&["help", "?"], &["помощь", "справка"], &["帮助"], &["說明", "幫助"], "", Word::Help),
    entry(&["q", "quit", "exit", "leave"], &["выход", "в", "й"], &["退出", "离开"], &["退出", "離開"],
        "", Word::Quit),
];

impl Entry {
    /// The names in a language other than English, the usual one first.
    pub fn own(&self, lang: Lang) -> Names {
        match lang {
            Lang::En => &[],
            Lang::Ru => self.ru,
            Lang::Hans => self.hans,
            Lang::Hant => self.hant,
        }
    }

    /// Whether it is called so in any language.
    pub(super) fn is_called(&self, name: &str) -> bool {
        [self.names, self.ru, self.hans, self.hant].iter().any(|names| names.contains(&name))
    }
}
