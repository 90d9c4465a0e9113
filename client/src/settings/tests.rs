use std::path::{Path, PathBuf};

use super::effective::EffectiveSettings;
use super::*;
use crate::bot::policy::Clocks;
use crate::cli::{self, CliCommand, ConfigQuery};
use crate::facts::FormKind;
use crate::i18n::Texts;
use crate::input::{Action, KeyContext};
use crate::model::{Form, Mode};
use crate::update::tests::TestPlayer;
use crate::update::{Effect, InitialAction};

fn parse_error(text: &str) -> (usize, SettingsErrorKind) {
    let SettingsError { line, kind } = SettingsFile::parse(text).expect_err(text);
    (line, kind)
}

#[test]
fn a_settings_file_is_parsed() {
    let text = "\
# mine
lang = \"ru\"
name = 'Анна'   # as everywhere
clock = \"5+3\"

[keys]
claim = \"c\"
rematch = [\"Enter\", \"Ctrl-R\"]
";
    let settings = SettingsFile::parse(text).unwrap();
    for (setting, value) in [
        (Setting::Lang, "ru"),
        (Setting::Name, "Анна"),
        (Setting::Clock, "5+3"),
    ] {
        assert_eq!(settings.value(setting), Some(value));
    }
    assert_eq!(settings.value(Setting::Server), None);
    assert_eq!(
        settings.keymap.action(KeyContext::GameOver, Key::Ctrl('r')),
        Some(Action::Rematch)
    );
    assert_eq!(
        settings.keymap.action(KeyContext::GameOver, Key::Char('r')),
        None
    );
    assert_eq!(SettingsFile::parse("").unwrap(), SettingsFile::default());
}

#[test]
fn an_error_has_its_line_number() {
    let keys = |action: &str, error| SettingsErrorKind::Keys(action.to_owned(), error);
    for (text, line, expected) in [
        (
            "\n\nnmae = \"x\"\n",
            3,
            SettingsErrorKind::UnknownKey("nmae".to_owned()),
        ),
        (
            "ui = \"auto\"\nbell = true",
            2,
            SettingsErrorKind::NotString(Setting::Bell),
        ),
        (
            "bell = \"red\"",
            1,
            SettingsErrorKind::Value(Setting::Bell, FormFieldError::BadOption),
        ),
        (
            "lang = \"xx\"",
            1,
            SettingsErrorKind::Value(Setting::Lang, FormFieldError::BadOption),
        ),
        (
            "[game]\nrules = \"3x3:3\"",
            1,
            SettingsErrorKind::UnknownKey("game".to_owned()),
        ),
        (
            "[keys]\nguide = \"g\"\n\ndance = \"d\"",
            4,
            keys("dance", KeymapError::UnknownAction),
        ),
        (
            "[keys]\nguide = \"gg\"",
            2,
            keys("guide", KeymapError::InvalidKey("gg".to_owned())),
        ),
        (
            "[keys]\nguide = 1",
            2,
            keys("guide", KeymapError::InvalidKey("1".to_owned())),
        ),
        (
            "[keys]\ninterrupt = \"x\"",
            2,
            keys("interrupt", KeymapError::Fixed),
        ),
        (
            "[keys]\naccept = \"v\"\nguide = \"q\"",
            3,
            keys(
                "guide",
                KeymapError::Conflict {
                    key: Key::Char('q'),
                    other: "leave",
                },
            ),
        ),
    ] {
        assert_eq!(parse_error(text), (line, expected), "{text}");
    }
    assert!(matches!(
        parse_error("name = \"\u{202e}\""),
        (
            1,
            SettingsErrorKind::Value(Setting::Name, FormFieldError::BadName(_))
        )
    ));
    assert!(matches!(
        parse_error("ok = \n\"x"),
        (1 | 2, SettingsErrorKind::Syntax(_))
    ));
    assert!(matches!(
        parse_error("keys = 3"),
        (1, SettingsErrorKind::Syntax(_))
    ));
}

#[test]
fn changes_keep_comments_and_other_settings() {
    let text = "# mine\nname = \"Ann\" # that is me\n\n[keys]\nclaim = \"c\" # easier\n";
    let changes = [
        (Setting::Name, "Zoë \"Z\"".to_owned()),
        (Setting::Lang, "ru".to_owned()),
    ];
    let after = apply_changes(text, &changes).unwrap();
    let settings = SettingsFile::parse(&after).unwrap();
    assert_eq!(settings.value(Setting::Name), Some("Zoë \"Z\""));
    assert_eq!(settings.value(Setting::Lang), Some("ru"));
    for unchanged in ["# mine\n", " # that is me\n", "claim = \"c\" # easier\n"] {
        assert!(after.contains(unchanged), "{after}");
    }
    assert!(
        apply_changes("nmae = 1", &changes).is_err(),
        "a file with an error is not changed"
    );
}

fn default_text(setting: Setting) -> String {
    (setting.entry().text)(&Settings::default())
}

/// Returns a value other than the default, as the program writes it.
fn other_text(setting: Setting) -> String {
    let (entry, default) = (setting.entry(), default_text(setting));
    let mut options = (entry.options)().into_iter().rev();
    let option = options.find(|option| *option != default);
    let mut settings = Settings::default();
    (entry.set)(&mut settings, option.as_deref().unwrap_or("example")).unwrap();
    (entry.text)(&settings)
}

/// A settings file that is deleted when dropped.
struct TempFile(PathBuf);

impl TempFile {
    fn new(test: &str) -> TempFile {
        let name = format!("noughts-{test}-{}.toml", std::process::id());
        TempFile(std::env::temp_dir().join(name))
    }

    /// Returns the command and its settings, given this file and a variable.
    fn load(
        &self,
        arguments: &[&str],
        variable: Option<(&str, &str)>,
        file: &str,
    ) -> (Option<CliCommand>, EffectiveSettings, Settings) {
        std::fs::write(&self.0, file).unwrap();
        let config = ["noughts", "--config", self.0.to_str().unwrap()];
        let arguments = config.iter().chain(arguments).map(Into::into).collect();
        let cli = cli::parse_args(arguments, Texts::default()).unwrap();
        let env = |name: &str| {
            let value = variable.filter(|(known, _)| *known == name);
            value.map(|(_, value)| value.to_owned())
        };
        let effective = effective::load(&cli, env);
        let settings = effective.settings(env).unwrap();
        (cli.command, effective, settings)
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.0));
    }
}

#[test]
fn each_setting_is_read_from_flag_variable_and_file_and_shown() {
    let temp_file = TempFile::new("each-setting");
    for &setting in Setting::ALL {
        let entry = setting.entry();
        let (default, other) = (default_text(setting), other_text(setting));
        let check = |arguments: &[&str], variable: &str, file: &str, expected: &str, origin| {
            let variable = Some((entry.variable, variable));
            let file = format!("{} = {file:?}", entry.key);
            let (_, effective, settings) = temp_file.load(arguments, variable, &file);
            assert_eq!((entry.text)(&settings), expected, "{arguments:?}");
            let shown =
                effective::describe(ConfigQuery::Show, &effective, &settings, Texts::default());
            let line = format!("{} = {expected:?}  # {origin}\n", entry.key);
            assert!(shown.as_ref().unwrap().contains(&line), "{line}: {shown:?}");
        };
        let path = temp_file.path().display().to_string();
        check(&[], "", &other, &other, path);
        check(&[], &default, &other, &default, entry.variable.to_owned());
        let flag = format!("--{}", entry.key);
        let commands = match entry.commands {
            [] => &["list"],
            commands => commands,
        };
        let is_built = |command: &&&str| cfg!(feature = "mcp") || **command != "mcp";
        for command in commands.iter().filter(is_built) {
            check(
                &[command, &flag, &other],
                &default,
                &default,
                &other,
                flag.clone(),
            );
        }
        if entry.commands.is_empty() {
            check(
                &[&flag, &other, "list"],
                &default,
                &default,
                &other,
                flag.clone(),
            );
        }
    }
}

#[test]
fn each_setting_of_the_form_is_asked_for_and_changed_in_json_mode() {
    let form = Form::new(FormKind::Settings, &Settings::default());
    let start = InitialAction::Form(form);
    let mut player = TestPlayer::with_settings(Mode::Json, Settings::default(), start);
    let settings = Setting::ALL.iter().copied();
    let shown: Vec<Setting> = settings
        .filter(|setting| setting.entry().is_in_form)
        .collect();
    for &setting in &shown {
        let asked: serde_json::Value = serde_json::from_str(player.output.last().unwrap()).unwrap();
        let entry = setting.entry();
        assert_eq!(asked["field"], entry.key);
        assert_eq!(asked["text"], default_text(setting));
        assert_eq!(asked["options"], serde_json::json!((entry.options)()));
        assert_eq!(asked["is_free_text"], entry.is_free_text);
        let answer = serde_json::json!({ "do": "answer", "text": other_text(setting) });
        player.type_line(&answer.to_string());
    }
    let Some(Effect::ChangeSettings(changes)) = player.effects.last() else {
        panic!("{:?}", player.effects)
    };
    let expected = shown.iter().map(|&setting| (setting, other_text(setting)));
    assert_eq!(*changes, expected.collect::<Vec<_>>());
    for setting in shown {
        let text = (setting.entry().text)(&player.model.settings);
        assert_eq!(text, other_text(setting));
    }
}

#[test]
fn the_name_has_fallbacks() {
    let temp_file = TempFile::new("name");
    for (variable, expected) in [
        (("USER", "ann"), "ann"),
        (("LOGNAME", "ann"), "ann"),
        (("USER", "bad\u{1b}name"), "Player"),
        (("NOUGHTS_NAME", ""), "Player"),
        (("LANG", "ru_RU.UTF-8"), "Игрок"),
        (("LANG", "zh_TW.UTF-8"), "玩家"),
        (("NOUGHTS_LANG", "ru"), "Игрок"),
    ] {
        let (_, _, settings) = temp_file.load(&[], Some(variable), "");
        assert_eq!(settings.name.as_str(), expected, "{variable:?}");
    }
}

#[test]
fn a_bot_takes_game_and_clock_of_the_file_but_not_the_name() {
    let temp_file = TempFile::new("bot");
    let file = "name = \"Ann\"\nrules = \"connect4\"\nclock = \"5+3\"";
    let flags = ["bot", "--rules", "qubic", "--clock", "any"];
    for (arguments, rules, clocks) in [(&flags[..1], "connect4", "5+3"), (&flags, "qubic", "any")] {
        let (command, effective, settings) = temp_file.load(arguments, None, file);
        let Some(CliCommand::Bot(mut args)) = command else {
            panic!("bot")
        };
        args.fill_in(&effective, &settings);
        assert_eq!(args.name, None);
        let policy = args.policy();
        assert_eq!(policy.rules, [rules.parse().unwrap()]);
        assert_eq!(policy.clocks, clocks.parse::<Clocks>().unwrap());
    }
}

#[test]
fn save_is_atomic_and_keeps_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let directory = std::env::temp_dir().join(format!("noughts-settings-{}", std::process::id()));
    let path = directory.join("deep").join("config.toml");
    assert!(
        file::load(&path).unwrap() == SettingsFile::default(),
        "a missing file is empty"
    );
    file::save_changes(&path, &[(Setting::Name, "Ann".to_owned())]).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    file::save_changes(&path, &[(Setting::Lang, "ru".to_owned())]).unwrap();
    let settings = file::load(&path).unwrap();
    assert_eq!(
        (settings.value(Setting::Name), settings.value(Setting::Lang)),
        (Some("Ann"), Some("ru"))
    );
    assert_eq!(
        std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let files = std::fs::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!(files, 1, "the temporary file is removed");
    std::fs::write(&path, "x".repeat(70_000)).unwrap();
    assert!(matches!(
        file::load(&path),
        Err(file::SettingsFileError::Read(..))
    ));
    std::os::unix::fs::symlink("nowhere", directory.join("gone")).unwrap();
    let unwritable = directory.join("gone").join("config.toml");
    assert!(matches!(
        file::save_changes(&unwritable, &[(Setting::Lang, "ru".to_owned())]),
        Err(file::SettingsFileError::Write(..))
    ));
    std::fs::remove_dir_all(directory).unwrap();
}
