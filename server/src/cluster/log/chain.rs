//! Verifies that no message of a shard is missing, moved, repeated or written by a foreign owner. Pure.
//!
//! Only the leader of a replicated log checks the expectation of an append. A defect of the log or a damaged replica
//! would cause a violation, which must be found before a room is served from it.

use crate::cluster::log::message::{MessageHeader, MessageKind};
use crate::cluster::shard::{Epoch, LogPosition, NodeId, Shard};

/// A violation of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ChainError {
    #[error("message {0} belongs to shard {1}")]
    WrongShard(LogPosition, Shard),
    #[error("message {0} follows {1} instead of {2}")]
    WrongPrevious(LogPosition, LogPosition, LogPosition),
    #[error("message {0} claims epoch {1} after epoch {2}")]
    WrongClaim(LogPosition, Epoch, Epoch),
    #[error("message {0} of node {1} is not part of epoch {2}")]
    WrongOwner(LogPosition, NodeId, Epoch),
    #[error("message {0} has number {1} in its epoch instead of {2}")]
    WrongNumber(LogPosition, u64, u64),
    #[error("message {0} follows the release of the shard")]
    AfterRelease(LogPosition),
    #[error(
        "message {0} needs messages from {1} on, which it cannot know or which an earlier one gave up"
    )]
    WrongFloor(LogPosition, LogPosition),
    #[error("messages before {0} are missing")]
    MissingFront(LogPosition),
    #[error("log ends at message {0} instead of {1}")]
    WrongEnd(LogPosition, LogPosition),
}

/// Checks the messages of a shard one after the other, oldest first.
#[derive(Debug)]
pub(crate) struct ChainCheck {
    shard: Shard,
    first: Option<(LogPosition, MessageHeader)>,
    last: Option<(LogPosition, MessageHeader)>,
}

impl ChainCheck {
    pub(crate) fn new(shard: Shard) -> ChainCheck {
        ChainCheck {
            shard,
            first: None,
            last: None,
        }
    }

    /// Accepts the next message.
    ///
    /// # Errors
    /// If the message does not follow the messages before it.
    pub(crate) fn accept(
        &mut self,
        at: LogPosition,
        header: &MessageHeader,
    ) -> Result<(), ChainError> {
        if header.shard != self.shard {
            return Err(ChainError::WrongShard(at, header.shard));
        }
        if header.floor >= at {
            return Err(ChainError::WrongFloor(at, header.floor));
        }
        match &self.last {
            Some((before, last)) => check_successor(at, header, *before, last)?,
            None => self.check_first(at, header)?,
        }
        self.first.get_or_insert((at, *header));
        self.last = Some((at, *header));
        Ok(())
    }

    /// Checks the first message that was read: it must be the first claim, or the messages before it must have been
    /// truncated.
    fn check_first(&self, at: LogPosition, header: &MessageHeader) -> Result<(), ChainError> {
        if header.prev >= at {
            return Err(ChainError::WrongPrevious(
                at,
                header.prev,
                LogPosition::START,
            ));
        }
        let is_claim = header.kind == MessageKind::Claim;
        if header.prev == LogPosition::START && (!is_claim || header.epoch != Epoch(1)) {
            return Err(ChainError::WrongClaim(at, header.epoch, Epoch(0)));
        }
        if is_claim != (header.number == 0) {
            return Err(ChainError::WrongNumber(
                at,
                header.number,
                u64::from(!is_claim),
            ));
        }
        Ok(())
    }

    /// Ends the check: the last message must be at `end`, and nothing that it needs may be missing. Returns its header.
    ///
    /// # Errors
    /// If messages are missing at either end.
    pub(crate) fn finish(&self, end: LogPosition) -> Result<MessageHeader, ChainError> {
        let (Some((first_at, first)), Some((last_at, last))) = (&self.first, &self.last) else {
            return Err(ChainError::WrongEnd(LogPosition::START, end));
        };
        if *last_at != end {
            return Err(ChainError::WrongEnd(*last_at, end));
        }
        let is_complete = first.prev == LogPosition::START || *first_at <= last.floor;
        if is_complete {
            Ok(*last)
        } else {
            Err(ChainError::MissingFront(*first_at))
        }
    }
}

/// Checks that a message directly follows the previous message.
fn check_successor(
    at: LogPosition,
    header: &MessageHeader,
    before: LogPosition,
    last: &MessageHeader,
) -> Result<(), ChainError> {
    if at <= before || header.prev != before {
        return Err(ChainError::WrongPrevious(at, header.prev, before));
    }
    if header.floor < last.floor {
        return Err(ChainError::WrongFloor(at, header.floor));
    }
    match header.kind {
        MessageKind::Claim if header.epoch != last.epoch.next() => {
            return Err(ChainError::WrongClaim(at, header.epoch, last.epoch));
        }
        MessageKind::Claim => {}
        MessageKind::Group | MessageKind::Release => {
            if last.kind == MessageKind::Release {
                return Err(ChainError::AfterRelease(at));
            }
            if header.epoch != last.epoch || header.owner != last.owner {
                return Err(ChainError::WrongOwner(at, header.owner, last.epoch));
            }
        }
    }
    let number = if header.kind == MessageKind::Claim {
        0
    } else {
        last.number + 1
    };
    if header.number == number {
        Ok(())
    } else {
        Err(ChainError::WrongNumber(at, header.number, number))
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    const SHARD: Shard = Shard(5);

    /// Returns a chain as owners write it. A step is the distance to the next position, the kind, and the floor as a
    /// share of the messages so far.
    fn chain() -> impl Strategy<Value = Vec<(LogPosition, MessageHeader)>> {
        vec((1..4u64, 0..8u8, 0..100usize), 1..30).prop_map(|steps| {
            let mut chain: Vec<(LogPosition, MessageHeader)> = Vec::new();
            for (distance, kind, floor) in steps {
                let next = match chain.last() {
                    None => (
                        LogPosition(distance),
                        claim(LogPosition::START, Epoch(1), LogPosition::START),
                    ),
                    Some((at, last)) => {
                        let is_released = last.kind == MessageKind::Release;
                        let kind = match kind {
                            0 => MessageKind::Claim,
                            _ if is_released => MessageKind::Claim,
                            1 => MessageKind::Release,
                            _ => MessageKind::Group,
                        };
                        // Most messages keep the floor; some raise it to an earlier message.
                        let raised = chain.get(floor).map_or(last.floor, |(at, _)| *at);
                        let floor = raised.max(last.floor);
                        let header = match kind {
                            MessageKind::Claim => claim(*at, last.epoch.next(), floor),
                            MessageKind::Group | MessageKind::Release => MessageHeader {
                                kind,
                                number: last.number + 1,
                                prev: *at,
                                floor,
                                ..*last
                            },
                        };
                        (LogPosition(at.0 + distance), header)
                    }
                };
                chain.push(next);
            }
            chain
        })
    }

    fn claim(prev: LogPosition, epoch: Epoch, floor: LogPosition) -> MessageHeader {
        let owner = NodeId([epoch.0 as u8; 16]);
        let kind = MessageKind::Claim;
        MessageHeader {
            kind,
            shard: SHARD,
            epoch,
            number: 0,
            prev,
            floor,
            owner,
            at: 0,
        }
    }

    fn check(
        chain: &[(LogPosition, MessageHeader)],
        end: LogPosition,
    ) -> Result<MessageHeader, ChainError> {
        let mut check = ChainCheck::new(SHARD);
        for (at, header) in chain {
            check.accept(*at, header)?;
        }
        check.finish(end)
    }

    proptest! {
        #[test]
        fn chains_of_owners_are_accepted_and_all_others_are_not(chain in chain(), at in any::<prop::sample::Index>()) {
            let (end, last) = *chain.last().unwrap();
            prop_assert_eq!(check(&chain, end), Ok(last));
            let index = at.index(chain.len());

            // Truncation is accepted exactly up to the floor of the last message.
            let front = check(&chain[index..], end);
            let is_needed = index > 0 && chain[index].0 > last.floor;
            prop_assert_eq!(front.is_err(), is_needed, "from {}: {:?}", index, front);

            let mut gap = chain.clone();
            gap.remove(index);
            let is_front = index == 0 && chain.get(1).is_some_and(|(second, _)| *second <= last.floor);
            prop_assert!(is_front || check(&gap, end).is_err(), "without {index}");

            let mut swapped = chain.clone();
            if index + 1 < chain.len() {
                swapped.swap(index, index + 1);
                prop_assert!(check(&swapped, end).is_err());
                // Swapped messages are found even if the positions remain in order.
                (swapped[index].0, swapped[index + 1].0) = (chain[index].0, chain[index + 1].0);
                prop_assert!(check(&swapped, end).is_err());
            }

            let mut repeated = chain.clone();
            repeated.insert(index, chain[index]);
            prop_assert!(check(&repeated, end).is_err());
            // A copy of a message is stored again at the end.
            let copy = (LogPosition(end.0 + 1), chain[index].1);
            prop_assert!(check(&[&chain[..], &[copy]].concat(), copy.0).is_err());
        }

        #[test]
        fn a_message_of_another_node_is_found(chain in chain(), at in any::<prop::sample::Index>()) {
            let end = chain.last().unwrap().0;
            let index = at.index(chain.len());
            let mut foreign = chain.clone();
            foreign[index].1.owner = NodeId([0xff; 16]);
            // A changed owner is accepted only if no neighbour has the same epoch.
            let neighbours = [index.checked_sub(1), Some(index + 1).filter(|next| *next < chain.len())];
            let shares_epoch = neighbours.into_iter().flatten().any(|other| {
                chain[other].1.epoch == chain[index].1.epoch
            });
            prop_assert_eq!(check(&foreign, end).is_err(), shares_epoch);
            let mut other_shard = chain;
            other_shard[index].1.shard = Shard(6);
            prop_assert!(check(&other_shard, end).is_err());
        }

        #[test]
        fn a_wrong_number_is_found(chain in chain(), at in any::<prop::sample::Index>(), field in 0..4, by in 1..9u64) {
            let end = chain.last().unwrap().0;
            let index = at.index(chain.len());
            // The predecessor of the first message may have been truncated, so a change of this field is not found
            // there.
            prop_assume!(index > 0 || field != 2);
            let mut wrong = chain;
            let header = &mut wrong[index].1;
            match field {
                0 => header.epoch.0 += by,
                1 => header.number += by,
                2 => header.prev.0 += by,
                _ => header.floor.0 += end.0,
            }
            prop_assert!(check(&wrong, end).is_err());
        }
    }

    #[test]
    fn an_empty_or_short_log_is_found() {
        let first = (
            LogPosition(1),
            claim(LogPosition::START, Epoch(1), LogPosition::START),
        );
        assert_eq!(
            check(&[], LogPosition(1)),
            Err(ChainError::WrongEnd(LogPosition::START, LogPosition(1)))
        );
        assert_eq!(
            check(&[first], LogPosition(2)),
            Err(ChainError::WrongEnd(LogPosition(1), LogPosition(2)))
        );
    }
}
