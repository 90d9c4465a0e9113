//! A player of a match: an engine that speaks UGI or the Gomocup protocol.

use std::time::Duration;

use noughts_protocol::{Cell, Position, Rules};

use crate::AnyResult;
use crate::engine_process::EngineProcess;

/// Prefix of the command of an engine that speaks the Gomocup protocol.
const GOMOCUP_PREFIX: &str = "gomocup:";
/// Pause after a move of a Gomocup engine: some engines ignore a command that follows immediately, because their search
/// has not ended yet.
const COMMAND_GAP: Duration = Duration::from_millis(20);
/// The time limit of a Gomocup engine that is limited by nodes.
const UNLIMITED_MS: u64 = 1_000_000_000;

/// An engine with the limit of its searches.
pub(crate) struct MatchPlayer {
    process: EngineProcess,
    is_gomocup: bool,
    /// `nodes N`, `movetime MS` or `cputime MS`.
    limit: String,
    moves: u32,
}

impl MatchPlayer {
    /// Starts the engine of a shell command. The prefix `gomocup:` selects the protocol; the default is UGI.
    pub(crate) fn start(command: &str, limit: &str) -> AnyResult<MatchPlayer> {
        let gomocup_command = command.strip_prefix(GOMOCUP_PREFIX);
        let process = EngineProcess::start(gomocup_command.unwrap_or(command))?;
        let is_gomocup = gomocup_command.is_some();
        Ok(MatchPlayer {
            process,
            is_gomocup,
            limit: limit.to_owned(),
            moves: 0,
        })
    }

    /// Prepares for a game. A Gomocup engine starts with an empty table.
    pub(crate) fn start_game(&mut self, rules: &Rules) -> AnyResult<()> {
        if !self.is_gomocup {
            return Ok(());
        }
        let width = rules.width();
        if rules.sides() != [width, width] || rules.line() != 5 || rules.gravity() || rules.misere()
        {
            return Err(format!("the Gomocup protocol has no rules {rules}").into());
        }
        let limit = match self.limit.split_once(' ') {
            Some(("nodes", nodes)) => {
                format!("INFO timeout_turn {UNLIMITED_MS}\nINFO max_node {nodes}")
            }
            Some(("movetime" | "cputime", millis)) => format!("INFO timeout_turn {millis}"),
            _ => return Err(format!("unknown limit: {}", self.limit).into()),
        };
        let rule = u8::from(rules.exact());
        self.process.send(&format!(
            "START {width}\nINFO rule {rule}\nINFO timeout_match {UNLIMITED_MS}\nINFO time_left {UNLIMITED_MS}\n{limit}"
        ))?;
        while self.process.read_line()?.trim() != "OK" {}
        Ok(())
    }

    /// Returns the move of the engine.
    pub(crate) fn choose(&mut self, position: &Position) -> AnyResult<Cell> {
        self.moves += 1;
        if self.is_gomocup {
            self.choose_gomocup(position)
        } else {
            self.choose_ugi(position)
        }
    }

    /// Returns the mean processor time of a move.
    pub(crate) fn move_time(&self) -> AnyResult<Duration> {
        Ok(self.process.processor_time()? / self.moves.max(1))
    }

    fn choose_ugi(&mut self, position: &Position) -> AnyResult<Cell> {
        let rules = position.rules();
        let moves: String = position
            .moves()
            .iter()
            .map(|&cell| format!(" {}", rules.cell_text(cell)))
            .collect();
        self.process.send(&format!(
            "position fen {rules} moves{moves}\ngo {}",
            self.limit
        ))?;
        loop {
            if let Some(best) = self.process.read_line()?.strip_prefix("bestmove ") {
                return Ok(rules.parse_cell(best.trim())?);
            }
        }
    }

    fn choose_gomocup(&mut self, position: &Position) -> AnyResult<Cell> {
        let width = usize::from(position.rules().width());
        let stones = position.moves().iter().enumerate().map(|(ply, cell)| {
            let owner = if (position.ply() - ply).is_multiple_of(2) {
                1
            } else {
                2
            };
            format!(
                "{},{},{owner}\n",
                cell.index() % width,
                cell.index() / width
            )
        });
        let stones: String = stones.collect();
        self.process.send(&format!("BOARD\n{stones}DONE"))?;
        loop {
            // Other lines are messages.
            let line = self.process.read_line()?;
            let Some((x, y)) = line.trim().split_once(',') else {
                continue;
            };
            if let (Ok(x), Ok(y)) = (x.parse::<usize>(), y.parse::<usize>()) {
                #[expect(
                    clippy::disallowed_methods,
                    reason = "the protocol has no sign of the end of a search"
                )]
                std::thread::sleep(COMMAND_GAP);
                return Ok(Cell::new((y * width + x) as u16));
            }
        }
    }
}
