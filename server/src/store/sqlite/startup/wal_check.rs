//! A look at the write-ahead log before SQLite takes it. SQLite ends it at the first frame whose
//! checksum is wrong, which is right for a tail that a power cut tore off, and silent about a byte that
//! changed further up: everything committed after it would be gone.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::Path;

use tracing::warn;

use crate::store::sqlite::Durability;
use crate::store::sqlite::startup::data_dir::DataDirError;

const HEADER_LEN: usize = 32;
const FRAME_HEADER_LEN: usize = 24;
const MAGIC: u32 = 0x377f_0682;

/// Refuses a log in which something committed follows something damaged. With every commit synced, only
/// the last one can be torn: by a power cut before anybody was told of it. That it was whole once and has been
/// damaged since cannot be told from that. Otherwise a power cut may tear more, as the operator was told: then it is
/// said and not refused.
///
/// # Errors
/// When a file is there and cannot be read; inside, when the log is damaged.
pub(crate) fn check(data: &Path, wal: &Path, durability: Durability) -> io::Result<Result<(), DataDirError>> {
    let (Some(mut data), Some(wal)) = (open_if_exists(data)?, open_if_exists(wal)?) else {
        return Ok(Ok(()));
    };
    let mut start = [0; 18];
    let page = if read_full(&mut data, &mut start)? { page_size(&start) } else { None };
    let Some(WalCorruption { offset, commits }) =
        find_corruption(BufReader::with_capacity(1 << 16, wal), page)?
    else {
        return Ok(Ok(()));
    };
    if commits <= 1 {
        warn!(
            offset,
            "the write-ahead log ends in a commit that is not whole, and it is cut off: unless it was damaged later, nobody was told of it"
        );
        return Ok(Ok(()));
    }
    Ok(match durability {
        Durability::Power => Err(DataDirError::Corrupt(format!(
            "the write-ahead log at byte {offset}, and {commits} commits are there or follow it"
        ))),
        Durability::Process => {
            warn!(offset, commits, "the write-ahead log is damaged, as by a power cut: its end is lost");
            Ok(())
        }
    })
}

/// Where a log is not what was written, and how many commits of the same log are there or beyond.
#[derive(Debug, PartialEq, Eq)]
struct WalCorruption {
    offset: u64,
    commits: u32,
}

/// `page` is the size of a page as the data have it; without it, the log's own word is taken.
fn find_corruption(mut wal: impl Read, page: Option<usize>) -> io::Result<Option<WalCorruption>> {
    let mut header = [0; HEADER_LEN];
    if !read_full(&mut wal, &mut header)? {
        return Ok(None);
    }
    let big_endian = read_u32_be(&header, 0) & 1 == 1;
    let mut sum = checksum(big_endian, [0; 2], &header[..24]);
    let header_valid =
        read_u32_be(&header, 0) & !1 == MAGIC && sum == [read_u32_be(&header, 24), read_u32_be(&header, 28)];
    let page = page.unwrap_or(read_u32_be(&header, 8) as usize).clamp(512, 65_536);
    let mut salts = header_valid.then(|| [read_u32_be(&header, 16), read_u32_be(&header, 20)]);
    let mut corruption = (!header_valid).then_some(WalCorruption { offset: 0, commits: 0 });
    // Whether anything of this log follows the hole, and not only what an earlier log left behind.
    let mut has_successors = false;
    let (mut frame, mut offset) = (vec![0; FRAME_HEADER_LEN + page], HEADER_LEN as u64);
    while read_full(&mut wal, &mut frame)? {
        sum = checksum(big_endian, sum, &frame[..8]);
        sum = checksum(big_endian, sum, &frame[FRAME_HEADER_LEN..]);
        let frame_salts = [read_u32_be(&frame, 8), read_u32_be(&frame, 12)];
        // Without a header to believe, the first frame says which log this is.
        let same_log = frame_salts == *salts.get_or_insert(frame_salts);
        let frame_valid = same_log && sum == [read_u32_be(&frame, 16), read_u32_be(&frame, 20)];
        let commits = u32::from(read_u32_be(&frame, 4) != 0);
        match &mut corruption {
            None if frame_valid => {}
            // Also when it does not say any more whose it is.
            None => (corruption, has_successors) = (Some(WalCorruption { offset, commits }), same_log),
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

/// From the start of the data. SQLite writes the largest size as 1.
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

/// SQLite's: two sums over pairs of words, in the byte order that the log's magic number names.
/// <https://www.sqlite.org/fileformat2.html#checksum_algorithm>
fn checksum(big_endian: bool, from: [u32; 2], bytes: &[u8]) -> [u32; 2] {
    let (pairs, _) = bytes.as_chunks::<8>();
    pairs.iter().fold(from, |[a, b], pair| {
        let x = read_u32_be(pair, 0);
        let y = read_u32_be(pair, 4);
        let (x, y) = if big_endian { (x, y) } else { (x.swap_bytes(), y.swap_bytes()) };
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

/// Reads all of `bytes`, or says that there are not so many any more.
fn read_full(file: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}
