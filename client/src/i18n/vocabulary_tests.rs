//! Each word of a vocabulary has a text, and each text that is keyed by a word belongs to a word of the vocabulary.

use std::collections::BTreeSet;
use std::fmt::Display;

use noughts_protocol::clock::TimeControlError;
use noughts_protocol::id::IdError;
use noughts_protocol::outcome::{LineName, Verdict};
use noughts_protocol::player::NameError;
use noughts_protocol::record::RecordErrorKind;
use noughts_protocol::wire::{CloseCode, Phrase, Presence, RejectCode};
use noughts_protocol::{
    CellError, MoveError, Phase, RecordError, RoomCloseReason, Rules, RulesError,
};

use super::lang::Lang;
use super::messages::{
    ACTION, CLOSE_CODE, CONFIRMATION, ERROR, FIELD, FIELD_HELP, FIELD_NOTE, FORM_TITLE, LEVEL,
    LINE, MENU_HINT, PHASE, PHRASE, PRESENCE, REJECT, ROOM_CLOSED, RULES, TYPED_COMMAND, Table,
    UNAVAILABLE,
};
use super::word;
use crate::bot::policy::ParseClocksError;
use crate::connection::server_url::{InviteError, ServerUrlError};
use crate::engine::{Level, LevelError};
use crate::facts::FormFieldError;
use crate::facts::{Confirmation, FieldId, FormKind, LeaveEffect, MenuItem, Unavailable};
use crate::game_link::GameLinkError;
use crate::i18n::lang::LangError;
use crate::identity::MasterSecretError;
use crate::input::commands::COMMANDS;
use crate::input::{KeyContext, Keymap};
use crate::settings::Setting;

/// Lists all variants of an enum. A missing variant is a compile error.
macro_rules! variants {
    ($name:ident: $($variant:ident),+ $(; $other:ident)*) => {{
        let _is_complete = |value: &$name| match value {
            $($name::$variant => (),)+
            $($name::$other { .. } => (),)*
        };
        [$($name::$variant),+]
    }};
}

fn check(table: &Table, words: impl IntoIterator<Item = impl Into<String>>) {
    let words: BTreeSet<String> = words.into_iter().map(Into::into).collect();
    let texts: BTreeSet<String> = table.words().map(Into::into).collect();
    let without_text: Vec<_> = words.difference(&texts).collect();
    let without_word: Vec<_> = texts.difference(&words).collect();
    assert!(
        without_text.is_empty() && without_word.is_empty(),
        "words without a text: {without_text:?}, texts without a word: {without_word:?}"
    );
}

fn leave_words() -> impl Iterator<Item = String> {
    variants!(LeaveEffect: Nothing, Aborts, Resigns)
        .into_iter()
        .map(|effect| format!("leave_{}", word(&effect)))
}

#[test]
fn words_of_the_protocol_have_texts() {
    check(&REJECT, RejectCode::ALL.iter().map(|code| code.as_str()));
    check(&CLOSE_CODE, CloseCode::ALL.map(CloseCode::reason));
    check(&PHRASE, Phrase::ALL.map(|phrase| word(&phrase)));
    check(&RULES, Rules::NAMED.iter().map(|(name, _)| *name));
    let presences = variants!(Presence: Connected, Disconnected, Left);
    check(&PRESENCE, presences.map(|presence| word(&presence)));
    let phases = variants!(Phase: Waiting, Playing, Over, Closed);
    check(&PHASE, phases.map(|phase| word(&phase)));
    let reasons = variants!(RoomCloseReason: Deserted, Idle, Operator);
    check(&ROOM_CLOSED, reasons.map(|reason| word(&reason)));
    let lines = variants!(
        LineName: Row, Column, Pillar, MainDiagonal, OtherDiagonal, SpaceDiagonal, Direction
    );
    check(&LINE, lines.map(|line| word(&line)));
}

#[test]
fn words_of_the_client_have_texts() {
    check(&LEVEL, Level::ALL.map(|level| level.to_string()));
    check(
        &TYPED_COMMAND,
        COMMANDS
            .iter()
            .filter_map(|entry| entry.names.first().copied()),
    );
    let forms = variants!(FormKind: Quick, Private, Host, Join, Local, Bot, Settings);
    check(&FORM_TITLE, forms.map(|form| word(&form)));
    let settings = Setting::ALL.iter().copied();
    let shown = settings.filter(|setting| setting.entry().is_in_form);
    let others = variants!(FieldId: Port, Seat, Invite, FirstPlayer, SecondPlayer, Opponent, SeatAssignment; Setting);
    let fields: Vec<FieldId> = shown.map(FieldId::Setting).chain(others).collect();
    let words = || fields.iter().map(word);
    check(&FIELD, words());
    let no_field = |word: &&str| !words().any(|field| field == **word);
    let mut texts = FIELD_HELP.words().chain(FIELD_NOTE.words());
    assert_eq!(texts.find(no_field), None, "a text without a field");
    // The choices of these fields explain themselves.
    let has_choices = |field: &FieldId| {
        matches!(
            field,
            FieldId::Seat | FieldId::SeatAssignment | FieldId::Opponent
        )
    };
    let is_described = |field: &&FieldId| !has_choices(field);
    for &field in fields.iter().filter(is_described) {
        assert_ne!(Lang::En.texts().field_help(field), "", "{field:?}");
    }
    let entries = variants!(
        MenuItem: Quick, Private, Host, Join, Watch, Local, Bot, Puzzle, OwnGames, Settings; Continue; Return; Again; Quit
    );
    check(&MENU_HINT, entries.map(|entry| word(&entry)));
    let questions = variants!(
        Confirmation: Resign, Abort, AgreeDraw, InviteFriend, WatchInstead, CloseRoom, ClaimDraw, DeleteGame; Leave
    );
    let questions = questions.map(|question| word(&question));
    check(&CONFIRMATION, questions.into_iter().chain(leave_words()));
    let reasons = variants!(
        Unavailable: Pending, Busy, Watching, NoBoard, NoOffer, WhichOffer, NoGame,
        GameOn, BotMoves, InPuzzle, BotPlaysOn, NotWaiting, Offline, NothingToTakeBack,
        NotOnAServer, OnlyOnAServer, NotClaimable, YesOrNo, Number, NoRoom,
        NoOpponent, NoProfile, RequestPending, SelectionGone, NothingAsked, SeekGone, NoServer,
        Searching, Stale, DeleteQuestion; LeaveQuestion
    );
    let reasons = reasons.map(|reason| word(&reason));
    check(&UNAVAILABLE, reasons.into_iter().chain(leave_words()));
}

#[test]
fn each_action_has_a_text_in_its_contexts() {
    let keymap = Keymap::default();
    let mut used = BTreeSet::new();
    for context in KeyContext::ALL {
        for binding in keymap.bindings(context) {
            let text = Lang::En.texts().action(binding.action, context);
            assert!(!text.is_empty(), "{:?} in {context:?}", binding.action);
            used.insert(text);
        }
    }
    let unused: Vec<_> = ACTION
        .words()
        .filter(|word| !used.contains(Lang::En.texts().keyed(&ACTION, word)))
        .collect();
    assert_eq!(unused, Vec::<&str>::new(), "texts without an action");
}

#[test]
fn words_of_errors_have_texts() {
    fn words<E: Display, const N: usize>(errors: [E; N]) -> Vec<String> {
        errors.map(|error| error.to_string()).into()
    }
    let rules = variants!(
        RulesError: Empty, TooLong, Syntax, UnknownName, Dimensions, Side, Cells, Line,
        RepeatedFlag, GravityNeedsRows, Incompatible, UnknownFlag
    );
    let fields = variants!(
        FormFieldError: BadPort, BadLevel, BadEngine, UnknownGame, BadOption;
        BadServer; BadName; BadRules; BadClock; BadInvite
    );
    let records = variants!(
        RecordErrorKind: TooLong, Tag, RepeatedTag, NoRules, Number, Mismatch;
        Rules; Clock; Result; Cell; Move
    );
    let result = "other"
        .parse()
        .map(|_: Verdict| ())
        .map_err(RecordErrorKind::Result);
    let records = records.into_iter().chain(result.err());
    let records = records.map(|kind| RecordError { line: 1, kind }.code().to_owned());
    let others = [
        words(variants!(NameError: Empty, TooLong, Character)),
        words(variants!(TimeControlError: Syntax, Base, Increment)),
        words(variants!(CellError: Syntax, Dimensions, OffBoard)),
        words(variants!(MoveError: OffBoard, Taken, ColumnFull, GameOver)),
        words(variants!(ServerUrlError: Syntax, Scheme, Port, Parts)),
        words(variants!(InviteError: Room; Server)),
        words(variants!(MasterSecretError: Form, Check)),
        words(variants!(GameLinkError: TooLong, Encoding, Deflate, TooLarge, NotText; Record)),
        words(fields),
        words([LevelError]),
        words([LangError]),
        words([ParseClocksError]),
        words([IdError]),
    ];
    let own = |error: &RulesError| *error != RulesError::UnknownFlag;
    let rules = rules.into_iter().filter(own).map(|error| error.to_string());
    check(
        &ERROR,
        others.concat().into_iter().chain(rules).chain(records),
    );
    let unknown = Lang::En.texts().error(&RulesError::UnknownFlag);
    assert_eq!(
        unknown,
        "unknown flag; use one of gravity, misere, exact, torus"
    );
    let too_long = RecordError {
        line: 7,
        kind: RecordErrorKind::TooLong,
    };
    assert_eq!(
        Lang::Ru.texts().record_error(&too_long),
        "строка 7: запись длиннее 32 КиБ"
    );
    let clock = RecordError {
        line: 2,
        kind: RecordErrorKind::Clock(TimeControlError::Base),
    };
    assert_eq!(
        Lang::En.texts().record_error(&clock),
        "line 2: base time must be 1 second to 3 hours"
    );
}
