//! Texts of the list of games.

use noughts_protocol::Rules;

use crate::facts::FormFieldError;
use crate::i18n::{Texts, tr, trf};

impl Texts {
    pub fn game_picker_title(self) -> &'static str {
        tr!(
            self,
            "Choose a game",
            "Выберите игру",
            "选择游戏",
            "選擇遊戲"
        )
    }

    /// Title of the text field above the list.
    pub fn game_filter_label(self) -> &'static str {
        tr!(
            self,
            "Filter, or sizes such as 9x9:5",
            "Фильтр или размеры, например 9x9:5",
            "筛选，或输入大小，如 9x9:5",
            "篩選，或輸入大小，如 9x9:5"
        )
    }

    /// Label of the text field where it has no frame.
    pub fn short_filter_label(self) -> &'static str {
        tr!(self, "Filter", "Фильтр", "筛选", "篩選")
    }

    /// Says why the list is empty.
    pub fn no_game_matches(self, typed: &str) -> String {
        match typed.trim().parse::<Rules>() {
            Err(error)
                if typed
                    .trim()
                    .starts_with(|letter: char| letter.is_ascii_digit()) =>
            {
                self.field_error(FormFieldError::Rules(error))
            }
            Ok(_) | Err(_) => tr!(
                self,
                "No game of this name. Sizes such as 9x9:5 work too.",
                "Игры с таким названием нет. Можно ввести размеры: 9x9:5.",
                "没有这个名称的游戏。也可以输入大小，如 9x9:5。",
                "沒有這個名稱的遊戲。也可以輸入大小，如 9x9:5。"
            )
            .to_owned(),
        }
    }

    /// Describes a game below the list: the board, how to move, and how to win.
    pub fn game_details(self, rules: &Rules) -> [String; 3] {
        let (line, first) = (self.rule_line(rules), self.first_to_move());
        let line = trf!(self, "{line}.", "{line}.", "{line}。", "{line}。");
        let typed = rules.to_string();
        let board = trf!(
            self,
            "Rules {typed}. {first}",
            "Правила {typed}. {first}",
            "规则 {typed}。{first}",
            "規則 {typed}。{first}"
        );
        [
            crate::i18n::errors::capitalize(&line),
            self.how_to_move(rules).to_owned(),
            board,
        ]
    }

    fn first_to_move(self) -> &'static str {
        tr!(
            self,
            "X moves first.",
            "Первым ходит X.",
            "X 先行。",
            "X 先行。"
        )
    }

    fn how_to_move(self, rules: &Rules) -> &'static str {
        match (rules.gravity(), rules.dimensions()) {
            (true, _) => tr!(
                self,
                "Choose a column; the piece falls to the lowest free cell.",
                "Выберите столбец: фишка упадёт на нижнюю свободную клетку.",
                "选择一列，棋子落到最低的空格。",
                "選擇一行，棋子落到最低的空格。"
            ),
            (false, 0..=2) => tr!(
                self,
                "Choose any free cell.",
                "Выберите любую свободную клетку.",
                "选择任意空格。",
                "選擇任意空格。"
            ),
            (false, _) => tr!(
                self,
                "Choose any free cell in any layer; lines run through the layers too.",
                "Выберите свободную клетку в любом слое; линии идут и сквозь слои.",
                "选择任意一层的空格；连线也可以穿过各层。",
                "選擇任意一層的空格；連線也可以穿過各層。"
            ),
        }
    }
}
