//! What the journal is for: it must not stay silent.

use noughts_protocol::{By, Cell, Event, Kind, Player, ResumeToken, Seat};
use noughts_server::config::Limits;
use noughts_server::log::Image;
use noughts_server::room::{Patience, Room};

use super::*;

const ROOM: u64 = 1;

fn room() -> RoomId {
    RoomId::from_bits(ROOM)
}

fn founding() -> Founding {
    Founding { room: room(), code: None, tokens: [ResumeToken::from_bits(1); 2], parties: [None; 2] }
}

/// A room with a game on, after `moves` moves: request 1, 2 and so on.
fn history(moves: u64) -> Vec<Stamped> {
    let player = |name: &str| Player { name: name.parse().unwrap(), kind: Kind::Bot };
    let mut events = vec![
        (None, Event::Opened { rules: "9x9:9".parse().unwrap(), clock: None, public: true }),
        (None, Event::Seated { seat: Seat::X, player: player("Ann") }),
        (None, Event::Seated { seat: Seat::O, player: player("Bob") }),
        (None, Event::Started { game: 1 }),
    ];
    events.extend((1..=moves).map(|id| {
        let seat = if id % 2 == 1 { Seat::X } else { Seat::O };
        let by = By { seat, id: RequestId::new(id).unwrap() };
        (Some(by), Event::Moved { seat, cell: Cell::new(id as u16), left: None })
    }));
    let stamped = |((by, event), seq)| Stamped { seq: Seq::new(seq), at: 7, by, event };
    events.into_iter().zip(1..).map(stamped).collect()
}

fn whole(events: &[Stamped]) -> Stored {
    Stored { image: None, events: events.to_vec() }
}

/// The same with an image in place of the first `imaged` events.
fn from_image(events: &[Stamped], imaged: usize) -> Stored {
    let (before, after) = events.split_at(imaged);
    Stored { image: Some(image(before)), events: after.to_vec() }
}

fn image(events: &[Stamped]) -> Image {
    let room = Room::replay(&whole(events), Patience::new(&Limits::default()).into(), 7).unwrap();
    room.image().expect("between two decisions")
}

/// What it says about files with this in them, one after the other, and about a view.
fn objects(told: &[Stamped], stored: &[Stored], view: Option<&Game>) -> Option<String> {
    let judged = std::panic::catch_unwind(|| {
        let journal = Journal::default();
        journal.tell(room(), told);
        if let Some(view) = view {
            journal.check_view(room(), view);
        }
        for stored in stored {
            journal.check(&[(founding(), stored.clone())]);
        }
    });
    let error = judged.err()?;
    Some(error.downcast_ref::<String>().cloned().unwrap_or_else(|| "a failed assertion".into()))
}

#[test]
fn it_sees_what_is_lost_doubled_changed_or_missing() {
    let history = history(2);
    assert_eq!(objects(&history, &[whole(&history)], None), None);
    assert_eq!(objects(&history[4..5], &[whole(&history)], None), None, "more may be stored than was told");
    let with = |change: fn(&mut Vec<Stamped>)| {
        let mut stored = history.clone();
        change(&mut stored);
        objects(&history[3..], &[whole(&stored)], None).expect("the journal objects")
    };
    assert!(with(|events| drop(events.pop())).contains("was told 6 and has 5"));
    assert!(with(|events| drop(events.remove(2))).contains("a gap"));
    assert!(with(|events| events[5].by = events[4].by).contains("two histories"));
    assert!(with(|events| events.swap(3, 4)).contains("a gap"));
    let mut doubled = history.clone();
    doubled[5].by = doubled[4].by;
    assert!(objects(&history[..5], &[whole(&doubled)], None).unwrap().contains("done twice"));
    let lost = std::panic::catch_unwind(|| {
        let journal = Journal::default();
        journal.tell(room(), &history);
        journal.check(&[]);
    });
    assert!(lost.unwrap_err().downcast_ref::<String>().unwrap().contains("is lost"));
}

#[test]
fn it_believes_an_image_of_what_nobody_was_told_and_of_nothing_else() {
    let history = history(12);
    let told = &history[..8];
    // All of it known: the image must be of the same room.
    assert_eq!(objects(&history, &[from_image(&history, 12)], None), None);
    let mut other = history.clone();
    other[10].event = Event::Moved { seat: Seat::X, cell: Cell::new(80), left: None };
    let said = objects(&history, &[from_image(&other, 12)], None).expect("the journal objects");
    assert!(said.contains("not the fold"), "{said}");
    // Some of it unknown: a new beginning, after which all is as before.
    let begun = from_image(&history[..12], 12);
    let went_on = from_image(&history, 12);
    assert_eq!(objects(told, &[begun.clone(), went_on.clone()], None), None);
    assert_eq!(objects(told, &[begun.clone(), from_image(&history, 14)], None), None, "and another one");
    let mut changed = went_on.clone();
    changed.events[1].by = changed.events[0].by;
    assert!(objects(told, &[begun.clone(), changed.clone()], None).unwrap().contains("done twice"));
    assert!(objects(told, &[went_on.clone(), changed], None).unwrap().contains("two histories"));
    let lost = objects(&history, std::slice::from_ref(&begun), None).unwrap();
    assert!(lost.contains("was told 16 and has 12"), "{lost}");
    // More than anybody can have had under way.
    let said = objects(told, &[from_image(&history, 14)], None).unwrap();
    assert!(said.contains("nobody saw 6 events"), "{said}");
}

#[test]
fn it_compares_every_view_once_it_is_known_how_it_came_about() {
    let history = history(4);
    let mut other = history.clone();
    other[6].event = Event::Moved { seat: Seat::X, cell: Cell::new(80), left: None };
    let view = |events: &[Stamped]| {
        let mut game = Game::open(&events[0]).unwrap();
        events[1..].iter().for_each(|event| game.apply(event).unwrap());
        game
    };
    let right = view(&history[..7]);
    let wrong = view(&other[..7]);
    for told in [&history[..7], &history[..5], &history[..0]] {
        assert_eq!(objects(told, &[whole(&history)], Some(&right)), None);
        let said = objects(told, &[whole(&history)], Some(&wrong)).expect("the journal objects");
        assert!(said.contains("no prefix"), "{said}");
    }
    let said = objects(&[], &[whole(&history[..6])], Some(&right)).expect("the journal objects");
    assert!(said.contains("of no history"), "{said}");
}
