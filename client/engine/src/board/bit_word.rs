//! Sets of cells in one machine word.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr};

/// A set of cells in one word, a bit for each cell.
pub trait BitWord:
    Copy
    + Eq
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + BitXorAssign
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + Into<u128>
{
    /// Number of bits.
    const SIZE: u32;
    const EMPTY: Self;

    /// The set of one cell.
    fn from_bit(bit: u32) -> Self;
    fn count(self) -> u32;
    /// The bit of the first cell; [`BitWord::SIZE`] for the empty set.
    fn first_bit(self) -> u32;
    /// The set without its first cell.
    fn without_first(self) -> Self;
    /// The set mixed into 64 bits, for a hash key.
    fn to_u64(self) -> u64;

    fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    fn any(self) -> bool {
        self != Self::EMPTY
    }
}

/// Implements the operations that are the same for every unsigned integer.
macro_rules! impl_bit_word {
    ($word:ty, $to_u64:expr) => {
        impl BitWord for $word {
            const SIZE: u32 = <$word>::BITS;
            const EMPTY: $word = 0;

            #[inline]
            fn from_bit(bit: u32) -> $word {
                1 << bit
            }

            #[inline]
            fn count(self) -> u32 {
                self.count_ones()
            }

            #[inline]
            fn first_bit(self) -> u32 {
                self.trailing_zeros()
            }

            #[inline]
            fn without_first(self) -> $word {
                self & (self.wrapping_sub(1))
            }

            #[inline]
            fn to_u64(self) -> u64 {
                $to_u64(self)
            }
        }
    };
}

impl_bit_word!(u64, |word| word);
impl_bit_word!(u128, |word: u128| (word as u64)
    ^ ((word >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));

/// The bits of a set, from the first to the last.
pub fn iter_bits<B: BitWord>(mut word: B) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = word.any().then(|| word.first_bit())?;
        word = word.without_first();
        Some(bit)
    })
}
