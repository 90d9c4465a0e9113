//! Tests that damage of any kind is found.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn header() -> impl Strategy<Value = MessageHeader> {
    let kinds = [MessageKind::Claim, MessageKind::Group, MessageKind::Release];
    let numbers = (
        any::<u64>(),
        any::<u64>(),
        any::<u64>(),
        any::<u64>(),
        any::<u64>(),
    );
    (0..3usize, any::<u16>(), numbers, any::<[u8; 16]>()).prop_map(
        move |(kind, shard, numbers, owner)| MessageHeader {
            kind: kinds[kind],
            shard: Shard(shard),
            epoch: Epoch(numbers.0),
            number: numbers.1,
            prev: LogPosition(numbers.2),
            floor: LogPosition(numbers.3),
            owner: NodeId(owner),
            at: numbers.4,
        },
    )
}

type OwnedEntry = (u8, u64, u64, u32, Vec<u8>);

fn entries() -> impl Strategy<Value = Vec<OwnedEntry>> {
    vec(
        (
            1..7u8,
            0..1u64 << 40,
            any::<u64>(),
            any::<u32>(),
            vec(any::<u8>(), 0..40),
        ),
        0..5,
    )
}

fn borrow((kind, room, first, count, body): &OwnedEntry) -> MessageEntry<'_> {
    MessageEntry {
        kind: EntryKind::from_byte(*kind).unwrap(),
        room: RoomId::from_bits(*room),
        first: Seq::new(*first),
        count: *count,
        body,
    }
}

fn build(header: &MessageHeader, entries: &[OwnedEntry]) -> Bytes {
    let mut builder = MessageBuilder::default();
    for entry in entries {
        builder.push(borrow(entry));
    }
    assert_eq!(
        builder.size(),
        entries
            .iter()
            .map(|entry| borrow(entry).size())
            .sum::<u64>()
    );
    builder.finish(header)
}

proptest! {
    #[test]
    fn a_message_is_read_as_written_and_every_damage_is_found(
        header in header(), entries in entries(), cut in any::<prop::sample::Index>(),
    ) {
        let bytes = build(&header, &entries);
        let message = ShardMessage::parse(bytes.clone()).unwrap();
        prop_assert_eq!(message.header, header);
        let read: Vec<MessageEntry<'_>> = message.entries().collect();
        prop_assert_eq!(read, entries.iter().map(borrow).collect::<Vec<_>>());
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.to_vec();
            flipped[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(ShardMessage::parse(flipped.into()).is_err(), "bit {bit}");
        }
        let cut = cut.index(bytes.len());
        prop_assert!(ShardMessage::parse(bytes.slice(..cut)).is_err(), "{cut} bytes");
        prop_assert!(ShardMessage::parse([&bytes[..], &[0]].concat().into()).is_err());
    }
}

#[test]
fn damage_behind_a_valid_checksum_is_named() {
    let header = MessageHeader {
        kind: MessageKind::Group,
        shard: Shard(1),
        epoch: Epoch(1),
        number: 1,
        prev: LogPosition(1),
        floor: LogPosition::START,
        owner: NodeId([7; 16]),
        at: 0,
    };
    let bytes = build(&header, &[(2, 9, 1, 1, b"[]".to_vec())]);
    let resealed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut content = bytes[..bytes.len() - CHECKSUM_LEN].to_vec();
        change(&mut content);
        let checksum = crc32fast::hash(&content);
        content.extend_from_slice(&checksum.to_be_bytes());
        ShardMessage::parse(content.into()).unwrap_err()
    };
    assert_eq!(
        resealed(&|content| content[2] = 2),
        MessageError::OtherVersion
    );
    assert_eq!(
        resealed(&|content| content[3] = 9),
        MessageError::OtherVersion
    );
    assert_eq!(
        resealed(&|content| content[HEADER_LEN] = 99),
        MessageError::OtherVersion
    );
    assert_eq!(
        resealed(&|content| content.truncate(HEADER_LEN)),
        MessageError::Format
    );
    let room = RoomId::from_bits(9);
    let shorten = |content: &mut Vec<u8>| content.truncate(content.len() - 1);
    assert_eq!(resealed(&shorten), MessageError::Entries(room));
    assert_eq!(
        ShardMessage::parse(Bytes::new()).unwrap_err(),
        MessageError::Format
    );
}

#[test]
fn the_layout_of_a_message_is_fixed() {
    let header = MessageHeader {
        kind: MessageKind::Claim,
        shard: Shard(3),
        epoch: Epoch(4),
        number: 0,
        prev: LogPosition(5),
        floor: LogPosition(6),
        owner: NodeId([0xab; 16]),
        at: 7,
    };
    let written = build(&header, &[(1, 0x12, 0x34, 0x56, b"body".to_vec())]);
    let hex: String = written.iter().map(|byte| format!("{byte:02x}")).collect();
    let zeros = "00000000000000";
    let expected = format!(
        "4e4c03010003{zeros}04{zeros}00{zeros}05{zeros}06{}{zeros}07\
         0000000101{zeros}12{zeros}340000005600000004626f6479",
        "ab".repeat(16)
    );
    assert!(hex.starts_with(&expected), "{hex}");
    assert_eq!(written.len(), expected.len() / 2 + CHECKSUM_LEN);
}
