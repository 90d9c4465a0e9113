//! A process that reads lines from a pipe and answers each with lines.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::AnyResult;

/// The process of an engine or a solver.
pub(crate) struct EngineProcess {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl EngineProcess {
    pub(crate) fn start(command: &str) -> AnyResult<EngineProcess> {
        let mut child = Command::new("sh")
            .args(["-c", &format!("exec {command}")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take().ok_or("no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        Ok(EngineProcess {
            child,
            input,
            output,
        })
    }

    pub(crate) fn send(&mut self, lines: &str) -> AnyResult<()> {
        self.input.write_all(format!("{lines}\n").as_bytes())?;
        Ok(())
    }

    pub(crate) fn read_line(&mut self) -> AnyResult<String> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Err("the solver has ended".into());
        }
        Ok(line)
    }

    /// Returns the processor time of all threads that are still alive.
    pub(crate) fn processor_time(&self) -> AnyResult<Duration> {
        let mut nanos = 0;
        for thread in fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let statistics = fs::read_to_string(thread?.path().join("schedstat"))?;
            nanos += statistics
                .split_whitespace()
                .next()
                .ok_or("an empty schedstat")?
                .parse::<u64>()?;
        }
        Ok(Duration::from_nanos(nanos))
    }

    pub(crate) fn end(self) -> AnyResult<()> {
        let EngineProcess {
            mut child,
            input,
            output,
        } = self;
        drop((input, output));
        child.wait()?;
        Ok(())
    }
}
