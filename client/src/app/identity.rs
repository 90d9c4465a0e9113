//! The command `identity`: shows, replaces and deletes the identity of the player, and names other addresses of a
//! server.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use anyhow::Context;

use crate::app::output::{check_glyphs, print};
use crate::cli::{IdentityAction, IdentityArgs};
use crate::connection::server_url::ServerUrl;
use crate::facts::Exit;
use crate::i18n::Texts;
use crate::identity::{MasterSecret, PlayerIdentity};
use crate::io::identity_store::IdentityStore;
use crate::settings::GlyphSet;
use crate::ui::qr_rows;

/// Maximum length of a typed secret; a longer line is not a secret.
const MAX_LINE_BYTES: u64 = 256;

/// Runs the command.
///
/// # Errors
/// Returns an error if the file of the identity cannot be read or written.
pub(super) fn run(
    args: &IdentityArgs,
    state: Option<PathBuf>,
    glyphs: GlyphSet,
    texts: Texts,
) -> anyhow::Result<Exit> {
    let Some(state) = state else {
        writeln!(io::stderr(), "{}", texts.no_state_folder())?;
        return Ok(Exit::Failed);
    };
    let store = IdentityStore::new(&state);
    let failed = || texts.cannot_use_identity();
    match (args.action, &args.values[..]) {
        (IdentityAction::Show, []) => {
            let identity = store.load_or_draw().with_context(failed)?;
            print(shown(&identity, glyphs, texts).as_bytes())
        }
        // The secret is read from stdin: other accounts of the machine see command lines, and shells keep them.
        (IdentityAction::Import, []) => {
            if io::stdin().is_terminal() {
                write!(io::stderr(), "{} ", texts.identity_prompt())?;
            }
            let master: MasterSecret = match read_line()?.parse() {
                Ok(master) => master,
                Err(error) => return usage_error(&texts.identity_error(error.into())),
            };
            let former = store.import(master).with_context(failed)?;
            let former = former.filter(|former| *former != master);
            let former = former.map(|former| texts.former_identity(former));
            print_lines([Some(texts.identity_imported().to_owned()), former])
        }
        (IdentityAction::Forget, []) => forget(&store, texts).with_context(failed),
        (IdentityAction::Alias, [address, server]) => {
            let parsed = (address.parse::<ServerUrl>(), server.parse::<ServerUrl>());
            let (address, server) = match parsed {
                (Ok(address), Ok(server)) => (address, server),
                (Err(error), _) | (_, Err(error)) => {
                    return usage_error(&texts.identity_error(error.into()));
                }
            };
            let master = store.load_or_draw().with_context(failed)?.master();
            let add = |identity: &mut PlayerIdentity| identity.add_alias(&address, &server);
            if store.update(master, add).with_context(failed)?.is_none() {
                // Another program has imported or forgotten the identity meanwhile.
                anyhow::bail!(texts.cannot_use_identity());
            }
            let added = texts.alias_added(address.short(), server.short());
            print_lines([Some(added), None])
        }
        (
            IdentityAction::Show
            | IdentityAction::Import
            | IdentityAction::Forget
            | IdentityAction::Alias,
            _,
        ) => usage_error(texts.identity_usage()),
    }
}

/// Deletes the identity, if the player agrees. Prints its text, so that the player can restore it.
fn forget(store: &IdentityStore, texts: Texts) -> anyhow::Result<Exit> {
    let former = match store.load() {
        Ok(None) => return print_lines([Some(texts.identity_absent().to_owned()), None]),
        Ok(Some(identity)) => Some(texts.forgotten_identity(identity.master())),
        // A damaged file has no text.
        Err(error) if error.kind() == io::ErrorKind::InvalidData => None,
        Err(error) => return Err(error.into()),
    };
    let yes = texts.identity_yes();
    write!(io::stderr(), "{} ", texts.identity_question(yes))?;
    let answer = read_line()?.trim().to_lowercase();
    if answer != yes && answer != "yes" {
        writeln!(io::stderr(), "{}", texts.identity_kept())?;
        return Ok(Exit::Failed);
    }
    // Printed first: afterwards the text is the only way back.
    print_lines([former, None])?;
    store.delete()?;
    print_lines([Some(texts.identity_forgotten().to_owned()), None])
}

/// Returns the secret as text and as a QR code, and the other addresses of servers.
fn shown(identity: &PlayerIdentity, glyphs: GlyphSet, texts: Texts) -> String {
    let secret = identity.master().to_string();
    let mut lines = vec![texts.identity_heading().to_owned(), String::new()];
    lines.push(format!("  {secret}"));
    lines.push(String::new());
    let can_draw = io::stdout().is_terminal()
        && check_glyphs(glyphs).is_none_or(|glyphs| glyphs.has_box_drawing());
    if can_draw && let Some(rows) = qr_rows(&secret) {
        // The QR code is black on white, whatever the colours of the terminal are.
        lines.extend(
            rows.into_iter()
                .map(|row| format!("  \u{1b}[30;107m{row}\u{1b}[0m")),
        );
        lines.push(String::new());
    }
    lines.push(texts.identity_hint().to_owned());
    for (address, server) in identity.aliases() {
        lines.push(texts.alias_added(address, server));
    }
    lines.join("\n") + "\n"
}

fn read_line() -> io::Result<String> {
    use io::{BufRead, Read};
    let mut line = String::new();
    io::stdin()
        .lock()
        .take(MAX_LINE_BYTES)
        .read_line(&mut line)?;
    Ok(line)
}

fn usage_error(reason: &str) -> anyhow::Result<Exit> {
    writeln!(io::stderr(), "{reason}")?;
    Ok(Exit::Usage)
}

fn print_lines(lines: [Option<String>; 2]) -> anyhow::Result<Exit> {
    let lines: String = lines
        .into_iter()
        .flatten()
        .map(|line| line + "\n")
        .collect();
    print(lines.as_bytes())
}
