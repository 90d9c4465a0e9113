//! Bit operations that both bitboards use.

/// Returns the index of the set bit with `number` set bits below it. The word must have more than `number` set bits.
#[inline]
pub(super) fn nth_bit(mut word: u64, number: usize) -> u32 {
    for _ in 0..number {
        word &= word - 1;
    }
    word.trailing_zeros()
}

/// Returns a bit for the start of each run of at least `k` ones that are `step` bits apart. With `exact`, only runs of
/// exactly `k` ones count.
#[inline(always)]
pub(super) fn runs(word: u64, step: u32, k: u8, exact: bool) -> u64 {
    // After each round a bit marks the start of `length` ones. The last round overlaps the previous round.
    let (mut starts, k) = (word, u32::from(k));
    let mut length = 1;
    while length < k {
        let more = length.min(k - length);
        starts &= starts >> (more * step);
        length += more;
    }
    // A longer run has several adjacent starts; other runs start at a greater distance.
    if exact {
        starts & !(starts >> step) & !(starts << step)
    } else {
        starts
    }
}
