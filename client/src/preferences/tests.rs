use super::*;
use crate::input::{Action, Context};
use crate::model::FieldError;

fn fault(text: &str) -> (usize, Fault) {
    let Mistake { line, fault } = Preferences::parse(text).expect_err(text);
    (line, fault)
}

#[test]
fn a_file_says_what_it_says() {
    let text = "\
# mine
lang = \"ru\"
name = 'Анна'   # as everywhere
clock = \"5+3\"

[keys]
claim = \"c\"
again = [\"Enter\", \"Ctrl-R\"]
";
    let read = Preferences::parse(text).unwrap();
    let values: Vec<(Setting, &str)> = read.values().collect();
    assert_eq!(values, [(Setting::Lang, "ru"), (Setting::Name, "Анна"), (Setting::Clock, "5+3")]);
    assert_eq!(read.value(Setting::Server), None);
    assert_eq!(read.keymap.action(Context::Over, Key::Ctrl('r')), Some(Action::Again));
    assert_eq!(read.keymap.action(Context::Over, Key::Char('r')), None);
    assert_eq!(Preferences::parse("").unwrap(), Preferences::default());
}

#[test]
fn a_mistake_is_named_with_its_line() {
    let choice = |choices: &[&str]| ValueError::Choice(choices.iter().map(|&one| one.to_owned()).collect());
    let keys = |action: &str, error| Fault::Keys(action.to_owned(), error);
    for (text, line, expected) in [
        ("\n\nnmae = \"x\"\n", 3, Fault::UnknownKey("nmae".to_owned())),
        ("ui = \"auto\"\ncolor = true", 2, Fault::Value(Setting::Color, ValueError::NotText)),
        ("color = \"red\"", 1, Fault::Value(Setting::Color, choice(&["auto", "always", "never"]))),
        ("lang = \"xx\"", 1, Fault::Value(Setting::Lang, choice(&["en", "ru", "zh-Hans", "zh-Hant"]))),
        ("[game]\nrules = \"3x3:3\"", 1, Fault::UnknownKey("game".to_owned())),
        ("[keys]\nguide = \"g\"\n\ndance = \"d\"", 4, keys("dance", KeymapError::UnknownAction)),
        ("[keys]\nguide = \"gg\"", 2, keys("guide", KeymapError::NoKey("gg".to_owned()))),
        ("[keys]\nguide = 1", 2, keys("guide", KeymapError::NoKey("1".to_owned()))),
        ("[keys]\ninterrupt = \"x\"", 2, keys("interrupt", KeymapError::Fixed)),
        (
            "[keys]\nvalues = \"v\"\nguide = \"q\"",
            3,
            keys("guide", KeymapError::Conflict { key: Key::Char('q'), other: "leave" }),
        ),
    ] {
        assert_eq!(fault(text), (line, expected), "{text}");
    }
    assert!(matches!(
        fault("name = \"\u{202e}\""),
        (1, Fault::Value(Setting::Name, ValueError::Field(FieldError::Name(_))))
    ));
    assert!(matches!(fault("ok = \n\"x"), (1 | 2, Fault::Syntax(_))));
    assert!(matches!(fault("keys = 3"), (1, Fault::Syntax(_))));
}

#[test]
fn changes_leave_everything_else_as_it_was() {
    let text = "# mine\nname = \"Ann\" # that is me\n\n[keys]\nclaim = \"c\" # easier\n";
    let changes = [
        (Setting::Name, Some("Zoë \"Z\"".to_owned())),
        (Setting::Lang, Some("ru".to_owned())),
        (Setting::Clock, None),
    ];
    let after = changed(text, &changes).unwrap();
    let read = Preferences::parse(&after).unwrap();
    assert_eq!(read.value(Setting::Name), Some("Zoë \"Z\""));
    assert_eq!(read.value(Setting::Lang), Some("ru"));
    for kept in ["# mine\n", " # that is me\n", "claim = \"c\" # easier\n"] {
        assert!(after.contains(kept), "{after}");
    }
    assert!(!changed(&after, &[(Setting::Lang, None)]).unwrap().contains("lang"));
    assert!(changed("nmae = 1", &changes).is_err(), "what has a mistake is left alone");
}

#[test]
fn every_setting_is_named_once() {
    for one in Setting::ALL {
        for other in Setting::ALL {
            assert_eq!(one == other, one.key() == other.key());
            assert_eq!(one == other, one.variable() == other.variable());
        }
    }
}

#[test]
fn a_file_is_replaced_whole_and_its_rights_stay() {
    use std::os::unix::fs::PermissionsExt;
    let folder = std::env::temp_dir().join(format!("noughts-preferences-{}", std::process::id()));
    let path = folder.join("deep").join("config.toml");
    assert!(file::read(&path).unwrap().values().next().is_none(), "none is none");
    file::change(&path, &[(Setting::Name, Some("Ann".to_owned()))]).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    file::change(&path, &[(Setting::Lang, Some("ru".to_owned()))]).unwrap();
    let read = file::read(&path).unwrap();
    assert_eq!((read.value(Setting::Name), read.value(Setting::Lang)), (Some("Ann"), Some("ru")));
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let files = std::fs::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!(files, 1, "nothing else is left there");
    std::fs::write(&path, "x".repeat(70_000)).unwrap();
    assert!(matches!(file::read(&path), Err(file::ReadError::Io(..))));
    std::fs::remove_dir_all(folder).unwrap();
}
