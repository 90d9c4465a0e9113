//! Resource usage of a process from `/proc`.

use std::fs;
use std::ops::Add;
use std::time::Duration;

use anyhow::Context;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CpuTime {
    /// Time in user mode.
    pub(crate) user: Duration,
    /// Time in kernel mode.
    pub(crate) system: Duration,
}

impl CpuTime {
    /// Reads the usage of a process with all its threads.
    pub(crate) fn for_pid(pid: u32) -> anyhow::Result<CpuTime> {
        let stat =
            fs::read_to_string(format!("/proc/{pid}/stat")).context("the server has ended")?;
        // The name in brackets may contain any characters. The fields after it are numbers.
        let (_, fields) = stat.rsplit_once(") ").context("a line of /proc/PID/stat")?;
        let mut fields = fields.split(' ').skip(11);
        let mut ticks =
            || -> anyhow::Result<Duration> {
                let ticks: u64 = fields
                    .next()
                    .context("a field of /proc/PID/stat")?
                    .parse()?;
                Ok(Duration::from_secs(ticks)
                    / u32::try_from(rustix::param::clock_ticks_per_second())?)
            };
        Ok(CpuTime {
            user: ticks()?,
            system: ticks()?,
        })
    }

    /// Returns the difference from an earlier value.
    pub(crate) fn since(self, before: CpuTime) -> CpuTime {
        CpuTime {
            user: self.user.saturating_sub(before.user),
            system: self.system.saturating_sub(before.system),
        }
    }

    /// Returns the sum of user and kernel mode.
    pub(crate) fn total(self) -> Duration {
        self.user + self.system
    }
}

impl Add for CpuTime {
    type Output = CpuTime;

    fn add(self, other: CpuTime) -> CpuTime {
        CpuTime {
            user: self.user + other.user,
            system: self.system + other.system,
        }
    }
}

/// Returns the bytes that a process has written to disks.
pub(crate) fn written_bytes(pid: u32) -> anyhow::Result<u64> {
    let io = fs::read_to_string(format!("/proc/{pid}/io")).context("the server has ended")?;
    let line = io
        .lines()
        .find_map(|line| line.strip_prefix("write_bytes: "))
        .context("write_bytes")?;
    Ok(line.parse()?)
}

/// Returns the anonymous memory of a process in bytes.
pub(crate) fn anonymous_memory_bytes(pid: u32) -> anyhow::Result<u64> {
    let status =
        fs::read_to_string(format!("/proc/{pid}/status")).context("the server has ended")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))
        .context("RssAnon")?;
    let kib: u64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kib * 1024)
}
