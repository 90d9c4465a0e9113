//! The player's last choices, in a file in the state folder: the game that the home menu offers again, a drawn name,
//! and the progress with the puzzle of the day.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use noughts_protocol::{Name, Rules, Seat, TimeControl};
use serde::{Deserialize, Serialize};

use crate::io::state_folder::StateFolder;
use crate::puzzle::PuzzleProgress;

/// Maximum size of the file. A larger file counts as damaged.
const MAX_FILE_BYTES: u64 = 4096;
const FILE_NAME: &str = "last.json";

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LastChoices {
    /// The name that was drawn for a player without a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<LastGame>,
    /// The last puzzle that the player has begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub puzzle: Option<PuzzleProgress>,
}

/// A game that a form has started. The server and the player's name come from the settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum LastGame {
    /// A game with any opponent.
    Seek {
        rules: Rules,
        clock: Option<TimeControl>,
        seat: Option<Seat>,
    },
    /// A game in the player's own room.
    Create {
        rules: Rules,
        clock: Option<TimeControl>,
        seat: Option<Seat>,
        public: bool,
        /// Level of the bot that takes the other seat.
        bot: Option<String>,
    },
    /// A game on this computer.
    Local {
        rules: Rules,
        /// Both players in their text form.
        players: [String; 2],
        is_random: bool,
    },
}

impl LastGame {
    pub(crate) fn rules(&self) -> Rules {
        match self {
            LastGame::Seek { rules, .. }
            | LastGame::Create { rules, .. }
            | LastGame::Local { rules, .. } => *rules,
        }
    }
}

/// Reads the file in a folder. A missing or damaged file counts as a file without choices, and the next choice replaces
/// it.
pub(crate) fn load(folder: &Path) -> LastChoices {
    let path = folder.join(FILE_NAME);
    let mut text = String::new();
    let read =
        fs::File::open(&path).and_then(|file| file.take(MAX_FILE_BYTES).read_to_string(&mut text));
    match read.map(|_| serde_json::from_str(&text)) {
        Ok(Ok(choices)) => choices,
        Ok(Err(error)) => {
            tracing::warn!(path = %path.display(), %error, "cannot parse last choices");
            LastChoices::default()
        }
        Err(error) => {
            if error.kind() != io::ErrorKind::NotFound {
                tracing::warn!(path = %path.display(), %error, "cannot read last choices");
            }
            LastChoices::default()
        }
    }
}

/// Changes the file in a folder, and keeps what another program has written there. Creates the folder if it does not
/// exist. Only the owner can read the folder and the file.
///
/// # Errors
/// Returns an error if a file operation fails.
pub(crate) fn update(folder: &Path, change: impl FnOnce(&mut LastChoices)) -> io::Result<()> {
    let state = StateFolder::new(folder.to_owned());
    let lock = state.create_and_lock()?;
    let mut choices = load(folder);
    change(&mut choices);
    let text = serde_json::to_string(&choices)?;
    state.write(&lock, &folder.join(FILE_NAME), &text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::PuzzleState;

    #[test]
    fn choices_are_kept_and_a_damaged_file_counts_as_none() {
        let name = format!("noughts-last-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let state = folder.join("state");
        assert_eq!(load(&state), LastChoices::default());
        let rules = "7x6:4+gravity".parse().unwrap();
        for game in [
            LastGame::Seek {
                rules,
                clock: "5+3".parse().ok(),
                seat: Some(Seat::O),
            },
            LastGame::Local {
                rules,
                players: ["Ann".to_owned(), "bot:hard".to_owned()],
                is_random: true,
            },
        ] {
            let choices = LastChoices {
                name: "Quiet Owl".parse().ok(),
                game: Some(game),
                puzzle: Some(PuzzleProgress {
                    day: 20_785,
                    mistakes: 1,
                    state: PuzzleState::Solved,
                    streak: 3,
                }),
            };
            update(&state, |kept| *kept = choices.clone()).unwrap();
            assert_eq!(load(&state), choices);
        }
        fs::write(state.join(FILE_NAME), "{").unwrap();
        assert_eq!(load(&state), LastChoices::default());
        fs::remove_dir_all(folder).unwrap();
    }
}
