//! The language of the player: chosen by a flag, by the program's own variable or by the locale, and spoken from the
//! help to the last line of a game.

use noughts_tests::pipe::Pipe;
use noughts_tests::pty::Pty;
use noughts_tests::server::Server;

/// A command that asks for nothing.
fn run(command: &str) -> Pipe {
    let mut pipe = Pipe::script(command, &[]);
    pipe.finish();
    pipe
}

#[tokio::test]
async fn help_is_in_the_language_that_is_chosen() {
    for (command, expected) in [
        ("noughts --help", "Usage: noughts [OPTIONS]"),
        ("LANG=ru_RU.UTF-8 noughts --help", "Использование: noughts [ПАРАМЕТРЫ]"),
        ("LANG=ru_RU.KOI8-R noughts --help", "Usage: noughts [OPTIONS]"),
        ("LANG=ru_RU.UTF-8 LC_ALL=zh_HK.UTF-8 noughts --help", "用法: noughts [選項]"),
        ("LC_ALL=C NOUGHTS_LANG=zh noughts --help", "用法: noughts [选项]"),
        ("NOUGHTS_LANG=ru noughts --lang zh-TW --help", "用法: noughts [選項]"),
        ("NOUGHTS_LANG=ru noughts play --help --lang en", "Usage: noughts play [OPTIONS]"),
        ("LANG=ru_RU.UTF-8 noughts man", ".SH ИМЯ"),
        // What the settings file says counts below these two, and above the locale.
        ("echo 'lang = \"ru\"' >c; noughts --config c --help", "Использование: noughts [ПАРАМЕТРЫ]"),
        ("echo 'lang = \"ru\"' >c; NOUGHTS_CONFIG=c noughts play --help", "noughts play [ПАРАМЕТРЫ]"),
        ("echo 'lang = \"ru\"' >c; NOUGHTS_LANG=zh noughts --config=c --help", "用法: noughts [选项]"),
        ("echo 'lang = \"ru\"' >c; noughts --config=c --help --lang en", "Usage: noughts [OPTIONS]"),
        ("LANG=zh_CN.UTF-8 noughts completions fish", "在服务器上对局"),
    ] {
        let mut pipe = run(command);
        pipe.says(expected).await;
        assert_eq!(pipe.ended().await, Some(0), "{command}");
    }
}

#[tokio::test]
async fn what_goes_wrong_is_told_in_the_language() {
    for (command, expected, code) in [
        ("noughts --lang ru play --clock fast", "часы - это минуты+секунды", 2),
        ("noughts --lang zh-TW pley", "無法識別的指令 'pley'", 2),
        ("echo 'lang = \"ru\"' >c; noughts --config c pley", "неизвестная команда 'pley'", 2),
        // Whatever else is wrong with that file.
        ("printf 'lang = \"ru\"\\nx = 1' >c; noughts --config c", "настройки x нет", 2),
        ("noughts --lang xx", "the languages are en, ru, zh-Hans and zh-Hant", 2),
        ("NOUGHTS_LANG=ru noughts replay none.txt", "Не удалось прочитать none.txt: ", 2),
        ("NOUGHTS_LANG=zh noughts continue", "已没有这样一局可以继续。", 2),
        ("NOUGHTS_LANG=ru noughts list 127.0.0.1:1", "Не удалось подключиться к ws://127.0.0.1:1/ws: ", 3),
    ] {
        let mut pipe = run(command);
        pipe.heard(expected).await;
        assert_eq!(pipe.ended().await, Some(code), "{command}");
    }
}

#[tokio::test]
async fn a_game_is_typed_and_told_in_chinese() {
    let server = Server::start().await;
    let url = server.url();
    let sit =
        |name, seat, lang| Pipe::noughts(&["play", &url, "--name", name, "--seat", seat, "--lang", lang]);
    let mut ann = sit("Ann", "x", "zh-TW");
    ann.says("正在等待對手：tictactoe 3x3:3，不計時。").await;
    let mut bob = sit("小明", "o", "ru");
    ann.says("輪到你。").await;
    ann.line("b2");
    ann.says("你 (X) 落子 b2。").await;
    bob.says("Ann (X): ход b2. Ваш ход.").await;
    bob.line("a1");
    ann.says("小明 (O) 落子 a1。輪到你。").await;
    ann.line("棋盤");
    ann.says(" 2  4  X  6").await;
    ann.line("b2");
    ann.says("b2：這一格已有棋子。").await;
    bob.line("ничья");
    ann.says("小明 (O) 提議：和棋。").await;
    ann.line("否");
    bob.says("Ann (X): отказ (ничья).").await;
    bob.line("сдаюсь");
    ann.says("你 (X) 獲勝：對方認輸。比分：你 1，小明 0，平局 0。").await;
    bob.says("Победа: Ann (X), соперник сдался. Счёт: Ann 1, вы 0, ничьих 0.").await;
    ann.line("退出");
    bob.says("больше не в комнате").await;
    bob.line("выход");
    // What is about the program goes to stderr, in the language too.
    ann.heard("已連線，名字：Ann。").await;
    bob.heard("Подключено. Имя: 小明.").await;
    for pipe in [&mut ann, &mut bob] {
        assert_eq!(pipe.ended().await, Some(0), "{}", pipe.err());
    }
    server.settled().await;
}

#[tokio::test]
async fn the_full_screen_speaks_the_language_of_the_locale() {
    let locale = [("LANG", "zh_TW.UTF-8"), ("COLORTERM", "")];
    let pty = Pty::noughts_in(&["local", "--x", "安娜", "--o", "Боб"], &locale);
    pty.sees("輪到 安娜。").await;
    pty.keys("5");
    pty.sees("輪到 Боб。").await;
    pty.keys(":lang ru\r");
    pty.sees("Ходит Боб.").await;
    pty.keys("q");
    pty.sees("Партия идёт. Выйти?").await;
    pty.keys("y");
    assert_eq!(pty.ended().await, 0, "{pty:?}");
}
