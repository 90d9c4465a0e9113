//! Command line of the programs that prove a claim about a seat, and write and check certificates of the claim.

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use noughts_protocol::{Position, Seat};

/// A position, the seat of the claim, and the limits of the search.
pub struct ProofTask {
    pub position: Position,
    pub seat: Seat,
    pub table_bits: u32,
    pub max_nodes: u64,
}

/// The commands of a program. Their results are texts for the user.
pub struct ProofCommands {
    pub name: &'static str,
    pub solve: fn(&ProofTask) -> Result<String, Box<dyn Error>>,
    /// Searches for a proof and returns its certificate.
    pub certify: fn(&ProofTask) -> Result<String, Box<dyn Error>>,
    /// Checks the certificate at the path.
    pub check: fn(path: &str) -> Result<String, Box<dyn Error>>,
}

impl ProofCommands {
    /// Runs the command that the arguments of the program name, and prints the result and the time, or the error.
    pub fn run(&self) -> ExitCode {
        match self.execute() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        }
    }

    fn execute(&self) -> Result<(), Box<dyn Error>> {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let [command, arguments @ ..] = &arguments[..] else {
            return Err(self.usage());
        };
        #[expect(clippy::disallowed_methods, reason = "the clock of this program")]
        let started_at = Instant::now();
        match (command.as_str(), arguments) {
            ("solve", task) => {
                let result = (self.solve)(&self.parse(task)?)?;
                println!("{result}, {:.1?}", started_at.elapsed());
            }
            ("certify", [path, task @ ..]) => {
                let task = self.parse(task)?;
                let certificate = (self.certify)(&task)?;
                std::fs::write(path, &certificate)?;
                let (position, bytes) = (position_text(&task.position), certificate.len());
                println!(
                    "{position}: {path} written, {bytes} bytes, {:.1?}",
                    started_at.elapsed()
                );
            }
            ("check", paths @ [_, ..]) => {
                let mut checked_at = started_at.elapsed();
                for path in paths {
                    let result = (self.check)(path).map_err(|error| format!("{path}: {error}"))?;
                    println!("{result}, {:.1?}", started_at.elapsed() - checked_at);
                    checked_at = started_at.elapsed();
                }
            }
            _ => return Err(self.usage()),
        }
        Ok(())
    }

    fn usage(&self) -> Box<dyn Error> {
        let (name, task) = (self.name, "RULES SEAT TABLE_BITS MAX_NODES [MOVE...]");
        format!("usage: {name} solve {task}\n       {name} certify FILE {task}\n       {name} check FILE...")
            .into()
    }

    /// Reads `RULES SEAT TABLE_BITS MAX_NODES [MOVE...]`.
    fn parse(&self, arguments: &[String]) -> Result<ProofTask, Box<dyn Error>> {
        let [rules, seat, table_bits, nodes, moves @ ..] = arguments else {
            return Err(self.usage());
        };
        let mut position = Position::new(rules.parse()?);
        for text in moves {
            position.play(position.rules().parse_cell(text)?)?;
        }
        let seat = seat.to_uppercase().parse()?;
        Ok(ProofTask {
            position,
            seat,
            table_bits: table_bits.parse()?,
            max_nodes: nodes.parse()?,
        })
    }
}

/// Returns the rules and the moves as a text.
pub fn position_text(position: &Position) -> String {
    let rules = position.rules();
    let moves = position
        .moves()
        .iter()
        .map(|&cell| format!(" {}", rules.cell_text(cell)));
    moves.fold(rules.to_string(), |text, cell| text + &cell)
}
