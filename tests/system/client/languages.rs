//! Language of the player, chosen by a flag, an environment variable, the settings or the locale, and used in
//! help, errors, and games.

use noughts_tests::server::TestServer;
use noughts_tests::terminal::piped_process::PipedProcess;
use noughts_tests::terminal::pty::Pty;

/// Runs a shell command.
fn run_script(command: &str) -> PipedProcess {
    let mut pipe = PipedProcess::spawn_script(command, &[]);
    pipe.close_stdin();
    pipe
}

#[tokio::test]
async fn help_uses_the_selected_language() {
    for (command, expected) in [
        ("noughts --help", "Usage: noughts [OPTIONS]"),
        (
            "LANG=ru_RU.UTF-8 noughts --help",
            "Использование: noughts [ПАРАМЕТРЫ]",
        ),
        (
            "LANG=ru_RU.KOI8-R noughts --help",
            "Usage: noughts [OPTIONS]",
        ),
        (
            "LANG=ru_RU.UTF-8 LC_ALL=zh_HK.UTF-8 noughts --help",
            "用法: noughts [選項]",
        ),
        (
            "LC_ALL=C NOUGHTS_LANG=zh noughts --help",
            "用法: noughts [选项]",
        ),
        (
            "NOUGHTS_LANG=ru noughts --lang zh-TW --help",
            "用法: noughts [選項]",
        ),
        (
            "NOUGHTS_LANG=ru noughts play --help --lang en",
            "Usage: noughts play [OPTIONS]",
        ),
        ("LANG=ru_RU.UTF-8 noughts man", ".SH ИМЯ"),
        // The settings file takes precedence over the locale, and the flag and the variable over the file.
        (
            "echo 'lang = \"ru\"' >c; noughts --config c --help",
            "Использование: noughts [ПАРАМЕТРЫ]",
        ),
        (
            "echo 'lang = \"ru\"' >c; NOUGHTS_CONFIG=c noughts play --help",
            "noughts play [ПАРАМЕТРЫ]",
        ),
        (
            "echo 'lang = \"ru\"' >c; NOUGHTS_LANG=zh noughts --config=c --help",
            "用法: noughts [选项]",
        ),
        (
            "echo 'lang = \"ru\"' >c; noughts --config=c --help --lang en",
            "Usage: noughts [OPTIONS]",
        ),
        (
            "LANG=zh_CN.UTF-8 noughts completions fish",
            "在服务器上对局",
        ),
    ] {
        let mut pipe = run_script(command);
        pipe.wait_for_stdout(expected).await;
        assert_eq!(pipe.wait_for_exit().await, Some(0), "{command}");
    }
}

#[tokio::test]
async fn errors_use_the_selected_language() {
    for (command, expected, code) in [
        (
            "noughts --lang ru play --clock fast",
            "часы - это минуты+секунды",
            2,
        ),
        ("noughts --lang zh-TW pley", "無法識別的指令 'pley'", 2),
        (
            "echo 'lang = \"ru\"' >c; noughts --config c pley",
            "неизвестная команда 'pley'",
            2,
        ),
        // The language of the file applies even if the file contains an error.
        (
            "printf 'lang = \"ru\"\\nx = 1' >c; noughts --config c",
            "неизвестная настройка x",
            2,
        ),
        (
            "noughts --lang xx",
            "the languages are en, ru, zh-Hans and zh-Hant",
            2,
        ),
        (
            "NOUGHTS_LANG=ru noughts analyse none.txt",
            "Не удалось прочитать none.txt: ",
            2,
        ),
        (
            "NOUGHTS_LANG=zh noughts continue",
            "没有可以继续的对局。",
            2,
        ),
        (
            "NOUGHTS_LANG=ru noughts list 127.0.0.1:1",
            "Не удалось подключиться к ws://127.0.0.1:1/ws: ",
            3,
        ),
    ] {
        let mut pipe = run_script(command);
        pipe.wait_for_stderr(expected).await;
        assert_eq!(pipe.wait_for_exit().await, Some(code), "{command}");
    }
}

#[tokio::test]
async fn a_game_is_played_in_chinese_and_russian() {
    let server = TestServer::start().await;
    let url = server.url();
    let start_player = |name, seat, lang| {
        PipedProcess::spawn_noughts(&["play", &url, "--name", name, "--seat", seat, "--lang", lang])
    };
    let mut ann = start_player("Ann", "x", "zh-TW");
    ann.wait_for_stdout("正在等待對手：井字棋 3x3，不計時。")
        .await;
    let mut bob = start_player("小明", "o", "ru");
    ann.wait_for_stdout("輪到你。").await;
    ann.write_line("b2");
    ann.wait_for_stdout("你 (X) 落子 b2。").await;
    bob.wait_for_stdout("Ann (X): ход b2. Ваш ход.").await;
    bob.write_line("a1");
    ann.wait_for_stdout("小明 (O) 落子 a1。輪到你。").await;
    ann.write_line("棋盤");
    ann.wait_for_stdout(" 2  4  X  6").await;
    ann.write_line("b2");
    ann.wait_for_stdout("b2 已有棋子。").await;
    bob.write_line("ничья");
    ann.wait_for_stdout("小明提和。").await;
    ann.write_line("否");
    bob.wait_for_stdout("Ann отклоняет ничью.").await;
    bob.write_line("сдаюсь");
    ann.wait_for_stdout("你贏了：小明認輸。比分：你 1 - 0 小明，平局 0。")
        .await;
    bob.wait_for_stdout("Вы сдались. Побеждает Ann. Счёт: Ann 1 - 0 вы, ничьих 0.")
        .await;
    ann.write_line("退出");
    bob.wait_for_stdout("больше не в комнате").await;
    bob.write_line("выход");
    // Messages about the program go to stderr, in the same language.
    ann.wait_for_stderr("已連線，名字：Ann。").await;
    bob.wait_for_stderr("Подключено под именем 小明.").await;
    for pipe in [&mut ann, &mut bob] {
        assert_eq!(pipe.wait_for_exit().await, Some(0), "{}", pipe.stderr());
    }
    server.wait_until_idle().await;
}

#[tokio::test]
async fn the_full_screen_uses_the_locale_language() {
    let locale = [("LANG", "zh_TW.UTF-8"), ("COLORTERM", "")];
    let pty = Pty::spawn_noughts_with_env(&["local", "--x", "安娜", "--o", "Боб"], &locale);
    pty.wait_for_text("輪到 安娜 (X)").await;
    pty.send_keys("5");
    pty.wait_for_text("輪到 Боб (O)").await;
    pty.send_keys("q");
    pty.wait_for_text("要離開這一局嗎？").await;
    pty.send_keys("y");
    assert_eq!(pty.wait_for_exit().await, 0, "{pty:?}");
}
