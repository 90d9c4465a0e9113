//! Check of the write-ahead log before SQLite opens it. SQLite ends the log at the first frame with a wrong
//! checksum. That is right after a power failure tore the last commit, but silently drops all later commits if a
//! byte in the middle is corrupt.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::Path;

use tracing::warn;

use crate::store::sqlite::error::DataDirError;
use crate::store::sqlite::options::Durability;

const HEADER_LEN: usize = 32;
const FRAME_HEADER_LEN: usize = 24;
const MAGIC: u32 = 0x377f_0682;

/// Rejects a write-ahead log in which a commit follows corruption. With [`Durability::Power`] only the last commit
/// can be torn, by a power failure before it was acknowledged; later corruption of that commit looks the same. With
/// [`Durability::Process`] a power failure may tear more, which is only logged.
///
/// # Errors
/// The outer error if a file cannot be read, the inner one if the log is corrupt.
pub(crate) fn check(
    data: &Path,
    wal: &Path,
    durability: Durability,
) -> io::Result<Result<(), DataDirError>> {
    let Some(corruption) = find_damage(data, wal)? else {
        return Ok(Ok(()));
    };
    let WalCorruption { offset, commits } = corruption;
    if corruption.is_torn_tail() {
        warn!(
            offset,
            "incomplete last commit of the write-ahead log discarded"
        );
        return Ok(Ok(()));
    }
    Ok(match durability {
        Durability::Power => Err(DataDirError::Corrupt(corruption.to_string())),
        Durability::Process => {
            warn!(
                offset,
                commits, "end of the write-ahead log lost, as by a power failure"
            );
            Ok(())
        }
    })
}

/// Returns the first damage of the write-ahead log of a database file. Without either file, there is none.
///
/// # Errors
/// If a file cannot be read.
pub(crate) fn find_damage(data: &Path, wal: &Path) -> io::Result<Option<WalCorruption>> {
    let (Some(mut data), Some(wal)) = (open_if_exists(data)?, open_if_exists(wal)?) else {
        return Ok(None);
    };
    let mut start = [0; 18];
    let page = if read_full(&mut data, &mut start)? {
        page_size(&start)
    } else {
        None
    };
    find_corruption(BufReader::with_capacity(1 << 16, wal), page)
}

/// Offset at which the log is corrupt, and the number of commits of the same log there or later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WalCorruption {
    offset: u64,
    commits: u32,
}

impl WalCorruption {
    /// Whether only the last commit is incomplete, as after a power failure before it was acknowledged.
    pub(crate) fn is_torn_tail(&self) -> bool {
        self.commits <= 1
    }
}

impl fmt::Display for WalCorruption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WalCorruption { offset, commits } = self;
        write!(
            f,
            "write-ahead log at byte {offset}; {commits} commits are there or follow"
        )
    }
}

/// `page`: page size of the database file; without it, the log's own value is used.
fn find_corruption(mut wal: impl Read, page: Option<usize>) -> io::Result<Option<WalCorruption>> {
    let mut header = [0; HEADER_LEN];
    if !read_full(&mut wal, &mut header)? {
        return Ok(None);
    }
    let big_endian = read_u32_be(&header, 0) & 1 == 1;
    let mut sum = checksum(big_endian, [0; 2], &header[..24]);
    let header_valid = read_u32_be(&header, 0) & !1 == MAGIC
        && sum == [read_u32_be(&header, 24), read_u32_be(&header, 28)];
    let page = page
        .unwrap_or(read_u32_be(&header, 8) as usize)
        .clamp(512, 65_536);
    let mut salts = header_valid.then(|| [read_u32_be(&header, 16), read_u32_be(&header, 20)]);
    let mut corruption = (!header_valid).then_some(WalCorruption {
        offset: 0,
        commits: 0,
    });
    // Frames of this log follow the corruption, not only remains of an earlier log.
    let mut has_successors = false;
    let (mut frame, mut offset) = (vec![0; FRAME_HEADER_LEN + page], HEADER_LEN as u64);
    while read_full(&mut wal, &mut frame)? {
        sum = checksum(big_endian, sum, &frame[..8]);
        sum = checksum(big_endian, sum, &frame[FRAME_HEADER_LEN..]);
        let frame_salts = [read_u32_be(&frame, 8), read_u32_be(&frame, 12)];
        // Without a valid header, the first frame identifies the log.
        let same_log = frame_salts == *salts.get_or_insert(frame_salts);
        let frame_valid = same_log && sum == [read_u32_be(&frame, 16), read_u32_be(&frame, 20)];
        let commits = u32::from(read_u32_be(&frame, 4) != 0);
        match &mut corruption {
            None if frame_valid => {}
            // Also if the frame no longer identifies its log.
            None => {
                (corruption, has_successors) = (Some(WalCorruption { offset, commits }), same_log);
            }
            Some(corruption) if same_log => {
                has_successors = true;
                corruption.commits += commits;
            }
            Some(_) => {}
        }
        offset += frame.len() as u64;
    }
    Ok(corruption.filter(|_| has_successors))
}

/// Page size from the header of the database file. SQLite stores the largest one as 1.
fn page_size(start: &[u8; 18]) -> Option<usize> {
    let size = match u16::from_be_bytes([start[16], start[17]]) {
        1 => 65_536,
        size => usize::from(size),
    };
    (size >= 512 && size.is_power_of_two()).then_some(size)
}

fn read_u32_be(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Checksum of SQLite: two sums over pairs of words, in the byte order that the magic number of the log selects.
/// <https://www.sqlite.org/fileformat2.html#checksum_algorithm>
fn checksum(big_endian: bool, from: [u32; 2], bytes: &[u8]) -> [u32; 2] {
    let (pairs, _) = bytes.as_chunks::<8>();
    pairs.iter().fold(from, |[a, b], pair| {
        let x = read_u32_be(pair, 0);
        let y = read_u32_be(pair, 4);
        let (x, y) = if big_endian {
            (x, y)
        } else {
            (x.swap_bytes(), y.swap_bytes())
        };
        let a = a.wrapping_add(x).wrapping_add(b);
        [a, b.wrapping_add(y).wrapping_add(a)]
    })
}

fn open_if_exists(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Fills `bytes`, or returns false at the end of the file.
fn read_full(file: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}
