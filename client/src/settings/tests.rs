use super::*;
use crate::facts::FormFieldError;
use crate::input::{Action, KeyContext};

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
    let values: Vec<(Setting, &str)> = settings.values().collect();
    assert_eq!(
        values,
        [
            (Setting::Lang, "ru"),
            (Setting::Name, "Анна"),
            (Setting::Clock, "5+3")
        ]
    );
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
    let choice = |choices: &[&str]| {
        SettingValueError::Choice(choices.iter().map(|&one| one.to_owned()).collect())
    };
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
            SettingsErrorKind::Value(Setting::Bell, SettingValueError::NotString),
        ),
        (
            "bell = \"red\"",
            1,
            SettingsErrorKind::Value(Setting::Bell, choice(&["off", "bell", "notify"])),
        ),
        (
            "lang = \"xx\"",
            1,
            SettingsErrorKind::Value(Setting::Lang, choice(&["en", "ru", "zh-Hans", "zh-Hant"])),
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
            SettingsErrorKind::Value(
                Setting::Name,
                SettingValueError::Field(FormFieldError::BadName(_))
            )
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
        (Setting::Name, Some("Zoë \"Z\"".to_owned())),
        (Setting::Lang, Some("ru".to_owned())),
        (Setting::Clock, None),
    ];
    let after = apply_changes(text, &changes).unwrap();
    let settings = SettingsFile::parse(&after).unwrap();
    assert_eq!(settings.value(Setting::Name), Some("Zoë \"Z\""));
    assert_eq!(settings.value(Setting::Lang), Some("ru"));
    for unchanged in ["# mine\n", " # that is me\n", "claim = \"c\" # easier\n"] {
        assert!(after.contains(unchanged), "{after}");
    }
    assert!(
        !apply_changes(&after, &[(Setting::Lang, None)])
            .unwrap()
            .contains("lang")
    );
    assert!(
        apply_changes("nmae = 1", &changes).is_err(),
        "a file with an error is not changed"
    );
}

#[test]
fn setting_names_are_unique() {
    for one in Setting::ALL {
        for other in Setting::ALL {
            assert_eq!(one == other, one.key() == other.key());
            assert_eq!(one == other, one.env_variable() == other.env_variable());
        }
    }
}

#[test]
fn save_is_atomic_and_keeps_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let directory = std::env::temp_dir().join(format!("noughts-settings-{}", std::process::id()));
    let path = directory.join("deep").join("config.toml");
    assert!(
        file::load(&path).unwrap().values().next().is_none(),
        "a missing file is empty"
    );
    file::save_changes(&path, &[(Setting::Name, Some("Ann".to_owned()))]).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    file::save_changes(&path, &[(Setting::Lang, Some("ru".to_owned()))]).unwrap();
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
        Err(file::SettingsFileError::Io(..))
    ));
    std::fs::remove_dir_all(directory).unwrap();
}
