//! Tests of the finished games in the state of a shard.

use super::*;
use crate::cluster::log::message::MessageKind;
use crate::cluster::shard::{Epoch, NodeId, Shard};
use crate::tests::{event, room_secrets};

/// A shard with one owner, and the messages that are stored.
#[derive(Default)]
struct TestShard {
    state: ShardState,
    messages: Vec<(LogPosition, ShardMessage)>,
}

impl TestShard {
    /// Stores a message with the entries of `change`.
    fn commit(&mut self, change: impl FnOnce(&mut ShardState, &mut MessageBuilder)) {
        let mut builder = MessageBuilder::default();
        change(&mut self.state, &mut builder);
        let prev = self
            .messages
            .last()
            .map_or(LogPosition::START, |(at, _)| *at);
        let floor = self.state.compact(&mut builder, prev);
        let header = MessageHeader {
            kind: MessageKind::Group,
            shard: Shard(0),
            epoch: Epoch(1),
            number: prev.0 + 1,
            prev,
            floor,
            owner: NodeId([1; 16]),
            at: 0,
        };
        let message = ShardMessage::parse(builder.finish(&header)).unwrap();
        let at = LogPosition(prev.0 + 1);
        self.state.on_stored(at, message.size(), &header);
        self.messages.push((at, message));
    }

    /// Returns the state that the next owner reads, after the messages before the floor are deleted.
    fn reread(&self) -> ShardState {
        let mut state = ShardState::default();
        for (at, message) in self
            .messages
            .iter()
            .filter(|(at, _)| *at >= self.state.floor())
        {
            state.read_message(*at, message).unwrap();
        }
        state.check_complete().unwrap();
        state
    }

    fn create(&mut self, room: RoomId) {
        let (secrets, events) = (room_secrets(room.bits()), [event(1, 1)]);
        self.commit(|state, builder| state.create(builder, &secrets, &events).unwrap());
    }

    fn waiting(&self) -> Vec<GameKey> {
        let read = self.reread();
        assert_eq!(read.live_bytes, self.state.live_bytes);
        let waiting: Vec<GameKey> = self.state.waiting_games().map(|(key, _)| key).collect();
        assert_eq!(
            read.waiting_games().map(|(key, _)| key).collect::<Vec<_>>(),
            waiting
        );
        waiting
    }
}

fn finished(number: u32) -> FinishedGame {
    FinishedGame {
        number,
        ended_at: 1000 + u64::from(number),
        record: format!("record {number}"),
    }
}

#[test]
fn a_finished_game_stays_until_it_is_published() {
    let mut shard = TestShard::default();
    let [room, busy] = [1, 2].map(RoomId::from_bits);
    shard.create(room);
    shard.commit(|state, builder| {
        state.append(builder, room, &[event(2, 2)]).unwrap();
        assert!(state.finish_game(builder, room, &finished(1)));
    });
    shard.commit(|state, builder| assert!(state.finish_game(builder, room, &finished(2))));
    shard.commit(|state, builder| state.delete(builder, room));
    // Compaction deletes the first messages.
    shard.create(busy);
    for seq in 2..60 {
        shard.commit(|state, builder| {
            state.append(builder, busy, &[event(seq, seq)]).unwrap();
            let checkpoint = Checkpoint {
                seq: Seq::new(seq),
                body: vec![b'x'; 20_000],
            };
            state.checkpoint(builder, busy, &checkpoint).unwrap();
        });
    }
    assert!(
        shard.state.floor() > LogPosition(10),
        "{}",
        shard.state.floor()
    );
    let keys = [1, 2].map(|number| GameKey::of(room, &finished(number)));
    assert_eq!(shard.waiting(), keys);
    let read = shard.reread();
    let records: Vec<&FinishedGame> = read.waiting_games().map(|(_, game)| game).collect();
    assert_eq!(records, [&finished(1), &finished(2)]);

    shard.commit(|state, builder| state.record_published(builder, keys[0]));
    assert_eq!(shard.waiting(), keys[1..]);
    // Another room may have the same id later. Its games are different games.
    shard.commit(|state, builder| {
        let later = FinishedGame {
            ended_at: 9000,
            ..finished(2)
        };
        assert!(state.finish_game(builder, room, &later));
        state.record_published(builder, keys[1]);
        state.record_published(builder, keys[1]);
    });
    assert_eq!(
        shard.waiting(),
        [GameKey {
            ended_at: 9000,
            ..keys[1]
        }]
    );
}

#[test]
fn the_number_of_waiting_games_is_limited() {
    let mut shard = TestShard::default();
    let room = RoomId::from_bits(1);
    let limit = u32::try_from(waiting_games::MAX_WAITING_GAMES).unwrap();
    for number in 0..limit {
        shard.commit(|state, builder| assert!(state.finish_game(builder, room, &finished(number))));
    }
    shard.commit(|state, builder| assert!(!state.finish_game(builder, room, &finished(limit))));
    shard.commit(|state, builder| state.record_published(builder, GameKey::of(room, &finished(7))));
    shard.commit(|state, builder| assert!(state.finish_game(builder, room, &finished(limit))));
    assert_eq!(shard.waiting().len(), limit as usize);
}
