//! Serves this build of the engine over stdin and stdout, with the part of UGI that a match needs.

use std::io::{BufRead, Write};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use noughts_engine::{Evaluation, Level, SearchLimits, best_move};
use noughts_protocol::Position;

use crate::AnyResult;

/// Answers lines until the input ends.
pub(crate) fn serve() -> AnyResult<()> {
    let mut position = None;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["position", "fen", rules, ref rest @ ..] => {
                let mut game = Position::new(rules.parse()?);
                for text in rest.iter().skip(1) {
                    game.play(game.rules().parse_cell(text)?)?;
                }
                position = Some(game);
            }
            ["go", "nodes", nodes] => {
                let limits = SearchLimits {
                    nodes: Some(nodes.parse()?),
                    ..SearchLimits::default()
                };
                answer(position.as_ref(), limits, &|| Duration::ZERO)?;
            }
            ["go", clock @ ("movetime" | "cputime"), millis] => {
                let time = Some(Duration::from_millis(millis.parse()?));
                let limits = SearchLimits {
                    time,
                    ..SearchLimits::default()
                };
                #[expect(clippy::disallowed_methods, reason = "the clock of this program")]
                let started_at = Instant::now();
                if clock == "movetime" {
                    answer(position.as_ref(), limits, &|| started_at.elapsed())?;
                } else {
                    let used = processor_time();
                    answer(position.as_ref(), limits, &|| {
                        processor_time().saturating_sub(used)
                    })?;
                }
            }
            _ => return Err(format!("unknown line: {line}").into()),
        }
    }
    Ok(())
}

/// Returns the processor time of this thread, which does not depend on the load of the machine.
#[cfg(unix)]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec as u32)
}

#[cfg(not(unix))]
fn processor_time() -> Duration {
    panic!("the limit `cputime` needs Unix")
}

fn answer(
    position: Option<&Position>,
    limits: SearchLimits,
    elapsed: &dyn Fn() -> Duration,
) -> AnyResult<()> {
    let position = position.ok_or("no position")?;
    let stop = AtomicBool::new(false);
    let found = best_move(position, Level::Perfect, limits, 0, elapsed, &stop);
    let found = found.ok_or("the game is over")?;
    let score = match found.score {
        Evaluation::Estimate(estimate) => format!("cp {estimate}"),
        Evaluation::Draw => "cp 0 wdl 0 1000 0".to_owned(),
        Evaluation::Win(plies) => format!("mate {}", plies.div_ceil(2)),
        Evaluation::Loss(plies) => format!("mate -{}", plies.div_ceil(2)),
    };
    let best = position.rules().cell_text(found.best);
    let (depth, nodes) = (found.depth, found.nodes);
    let mut output = std::io::stdout().lock();
    writeln!(
        output,
        "info depth {depth} score {score} nodes {nodes}\nbestmove {best}"
    )?;
    output.flush()?;
    Ok(())
}
