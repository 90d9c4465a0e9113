//! The table of command words in all languages.

use crate::i18n::lang::Lang;

/// A command word with its names and its argument.
#[derive(Debug, PartialEq, Eq)]
pub struct CommandEntry {
    /// English names, the preferred one first.
    pub names: &'static [&'static str],
    /// Names in Russian and in both Chinese scripts. All names are accepted in every language; the help lists those of the
    /// current language.
    ru: &'static [&'static str],
    hans: &'static [&'static str],
    hant: &'static [&'static str],
    /// Placeholder of the argument; empty for a command without one.
    pub argument: &'static str,
    pub word: CommandWord,
}

/// Identity of a command word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandWord {
    Board,
    Scan,
    Marks,
    Last,
    Clocks,
    Opponent,
    Invite,
    Resign,
    Draw,
    Undo,
    Rematch,
    Accept,
    Decline,
    Claim,
    Flag,
    InviteBot,
    MeetOpponent,
    Say,
    Mute,
    Values,
    Review,
    DigitOrder,
    Lang,
    Save,
    Help,
    Leave,
}

type CommandNames = &'static [&'static str];

const fn command_entry(
    names: CommandNames,
    ru: CommandNames,
    hans: CommandNames,
    hant: CommandNames,
    argument: &'static str,
    word: CommandWord,
) -> CommandEntry {
    CommandEntry {
        names,
        ru,
        hans,
        hant,
        argument,
        word,
    }
}

/// All command words, in the order of the help.
#[rustfmt::skip]
pub(crate) const COMMANDS: &[CommandEntry] = &[
    command_entry(&["b", "board"], &["доска"], &["棋盘"], &["棋盤"], "[always|never]", CommandWord::Board),
    command_entry(&["s", "scan"], &["строка"], &["读"], &["讀"], "8", CommandWord::Scan),
    command_entry(&["p", "marks"], &["мои"], &["我的"], &["我的"], "", CommandWord::Marks),
    command_entry(&["l", "last"], &["последний"], &["上一手"], &["上一手"], "", CommandWord::Last),
    command_entry(&["c", "clocks", "clock"], &["часы", "время"], &["时间"], &["時間"], "", CommandWord::Clocks),
    command_entry(&["o", "opponent"], &["соперник"], &["对手"], &["對手"], "", CommandWord::Opponent),
    command_entry(&["invite", "code"], &["код"], &["邀请码"], &["邀請碼"], "", CommandWord::Invite),
    command_entry(&["draw"], &["ничья"], &["和棋", "求和", "提和"], &["和棋", "求和", "提和"], "", CommandWord::Draw),
    command_entry(&["undo", "takeback"], &["назад", "вернуть"], &["悔棋"], &["悔棋"], "", CommandWord::Undo),
    command_entry(&["accept", "yes", "y"], &["да", "д", "принять"], &["是", "接受", "同意"], &["是", "接受", "同意"],
        "[draw|undo|rematch]", CommandWord::Accept),
    command_entry(&["decline", "no", "n"], &["нет", "н", "отклонить"], &["否", "拒绝", "不"], &["否", "拒絕", "不"],
        "[draw|undo|rematch]", CommandWord::Decline),
    command_entry(&["rematch", "again", "r"], &["реванш", "ещё", "еще"], &["再来", "再来一局"], &["再來", "再來一局"],
        "", CommandWord::Rematch),
    command_entry(&["resign"], &["сдаюсь", "сдаться"], &["认输"], &["認輸"], "", CommandWord::Resign),
    command_entry(&["claim"], &["присудить"], &["判"], &["判"], "win|draw", CommandWord::Claim),
    command_entry(&["flag"], &["флаг"], &["超时"], &["超時"], "", CommandWord::Flag),
    command_entry(&["bot"], &["бот"], &["机器人"], &["機器人"], "[1-8|easy|perfect]", CommandWord::InviteBot),
    command_entry(&["meet"], &["перейти"], &["去对局"], &["去對局"], "", CommandWord::MeetOpponent),
    command_entry(&["say"], &["сказать", "фраза"], &["说"], &["說"], "1-12", CommandWord::Say),
    command_entry(&["mute"], &["тихо"], &["静音"], &["靜音"], "", CommandWord::Mute),
    command_entry(&["values", "v", "hint"], &["оценка"], &["评估"], &["評估"], "", CommandWord::Values),
    command_entry(&["review"], &["разбор"], &["复盘"], &["覆盤", "復盤"], "", CommandWord::Review),
    command_entry(&["keys"], &["цифры"], &["数字"], &["數字"], "reading|numpad", CommandWord::DigitOrder),
    command_entry(&["lang"], &["язык"], &["语言"], &["語言"], "en|ru|zh-Hans|zh-Hant", CommandWord::Lang),
    command_entry(&["save"], &["запись"], &["保存"], &["儲存"], "FILE", CommandWord::Save),
    command_entry(&["help", "?"], &["помощь", "справка"], &["帮助"], &["說明", "幫助"], "", CommandWord::Help),
    command_entry(&["q", "quit", "exit", "leave"], &["выход", "в", "й"], &["退出", "离开"], &["退出", "離開"],
        "", CommandWord::Leave),
];

impl CommandEntry {
    /// The names in a language other than English, the preferred one first.
    pub fn localized_names(&self, lang: Lang) -> CommandNames {
        match lang {
            Lang::En => &[],
            Lang::Ru => self.ru,
            Lang::Hans => self.hans,
            Lang::Hant => self.hant,
        }
    }

    /// Whether this is a name of the command in any language.
    pub(super) fn has_name(&self, name: &str) -> bool {
        [self.names, self.ru, self.hans, self.hant]
            .iter()
            .any(|names| names.contains(&name))
    }
}
