//! The functions of the module. They take and return numbers.
#![expect(
    unsafe_code,
    reason = "exported functions need `unsafe(no_mangle)`, imported ones a block `unsafe extern`"
)]

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use noughts_engine::{Level, SearchLimits};

use crate::EngineSession;

/// Maximum length of the text of rules, in bytes; longer texts are not valid.
const RULES_MAX_BYTES: usize = 64;

const INVALID: i32 = -1;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Milliseconds of a monotonic clock.
    safe fn now() -> f64;
}

struct ModuleState {
    rules: Vec<u8>,
    session: Option<EngineSession>,
}

static STATE: Mutex<ModuleState> = Mutex::new(ModuleState {
    rules: Vec::new(),
    session: None,
});

fn state() -> MutexGuard<'static, ModuleState> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[unsafe(no_mangle)]
extern "C" fn rules_byte(byte: u32) {
    let mut state = state();
    if let Ok(byte) = u8::try_from(byte)
        && state.rules.len() < RULES_MAX_BYTES
    {
        state.rules.push(byte);
    }
}

#[unsafe(no_mangle)]
extern "C" fn start() -> i32 {
    let mut state = state();
    let text = std::mem::take(&mut state.rules);
    state.session = str::from_utf8(&text).ok().and_then(EngineSession::new);
    state
        .session
        .as_ref()
        .and_then(|session| i32::try_from(session.cells()).ok())
        .unwrap_or(INVALID)
}

#[unsafe(no_mangle)]
extern "C" fn play(cell: u32) -> i32 {
    let mut state = state();
    let is_played = match (state.session.as_mut(), u16::try_from(cell)) {
        (Some(session), Ok(cell)) => session.play(cell),
        _ => false,
    };
    if is_played { 0 } else { INVALID }
}

#[unsafe(no_mangle)]
extern "C" fn best_move(level: u32, nodes: u32, millis: u32, seed: u32) -> i32 {
    let elapsed = stopwatch();
    let limits = limits(nodes, millis);
    let level = usize::try_from(level)
        .ok()
        .and_then(|index| Level::ALL.get(index))
        .copied();
    let mut state = state();
    let chosen = match (state.session.as_mut(), level) {
        (Some(session), Some(level)) => session.best_move(level, limits, u64::from(seed), &elapsed),
        _ => None,
    };
    cell_number(chosen)
}

#[unsafe(no_mangle)]
extern "C" fn evaluate(nodes: u32, millis: u32) -> i32 {
    let elapsed = stopwatch();
    let mut state = state();
    let session = state.session.as_mut();
    cell_number(session.and_then(|session| session.evaluate(limits(nodes, millis), &elapsed)))
}

#[unsafe(no_mangle)]
extern "C" fn forced_result() -> i32 {
    match state().session.as_ref().and_then(EngineSession::forced_win) {
        Some(true) => 1,
        Some(false) => -1,
        None => 0,
    }
}

/// Returns a function of the time since now.
fn stopwatch() -> impl Fn() -> Duration {
    let started_at = now();
    move || Duration::try_from_secs_f64((now() - started_at) / 1000.0).unwrap_or_default()
}

fn limits(nodes: u32, millis: u32) -> SearchLimits {
    SearchLimits {
        nodes: (nodes > 0).then_some(u64::from(nodes)),
        time: (millis > 0).then(|| Duration::from_millis(u64::from(millis))),
        ..SearchLimits::default()
    }
}

fn cell_number(cell: Option<usize>) -> i32 {
    cell.and_then(|cell| i32::try_from(cell).ok())
        .unwrap_or(INVALID)
}

#[unsafe(no_mangle)]
extern "C" fn accepts_draw() -> i32 {
    i32::from(
        state()
            .session
            .as_ref()
            .is_some_and(EngineSession::accepts_draw),
    )
}
