//! Random requests: output round-trips.

use noughts_protocol::wire::{
    Claim, EngineRemark, Evaluation, Feature, Hello, Phrase, Request, RequestBody, RoomCommand,
    SeekId, SessionRequest,
};
use noughts_protocol::{
    Cell, IdentitySecret, Name, Offer, Party, PlayerKind, RequestId, ResumeToken, RoomCode, RoomId,
    RoomRef, RuleFlag, Rules, Seat, Seq, TimeControl,
};
use proptest::prelude::*;

fn rules() -> impl Strategy<Value = Rules> {
    let named = Rules::NAMED
        .iter()
        .map(|(_, text)| text.parse().unwrap())
        .collect::<Vec<Rules>>();
    let sizes = (
        proptest::collection::vec(1..=5_u8, 1..=4),
        1..=5_u8,
        proptest::sample::subsequence(RuleFlag::ALL, 0..=RuleFlag::ALL.len()),
    );
    let any = sizes.prop_filter_map("a line that fits", |(sides, line, flags)| {
        let plain = Rules::new(&sides, line).ok()?;
        flags
            .into_iter()
            .try_fold(plain, |rules, flag| rules.with(flag).ok())
    });
    prop_oneof![proptest::sample::select(named), any]
}

fn clock() -> impl Strategy<Value = Option<TimeControl>> {
    let control = (
        1..=TimeControl::MAX_BASE_S,
        0..=TimeControl::MAX_INCREMENT_S,
    );
    proptest::option::of(
        control.prop_map(|(base, increment)| TimeControl::new(base, increment).unwrap()),
    )
}

fn hello() -> impl Strategy<Value = Hello> {
    let name = "[a-z]([a-zа-яぁ-ん\"\\\\'é] ?){0,10}";
    let name = name.prop_filter_map("a name", |name| name.parse::<Name>().ok());
    let kind = proptest::sample::select(vec![PlayerKind::Person, PlayerKind::Bot]);
    let party = proptest::option::of(any::<u128>().prop_map(Party::from_bits));
    let secret = proptest::option::of(any::<[u8; 16]>().prop_map(IdentitySecret::from_bytes));
    let versions = any::<[u16; 2]>().prop_map(|[one, other]| [one.min(other), one.max(other)]);
    let wants = proptest::sample::subsequence(Feature::ALL.to_vec(), 0..=Feature::ALL.len());
    (
        versions,
        name,
        kind,
        proptest::option::of(".{0,64}"),
        (party, secret),
        wants,
    )
        .prop_map(
            |(versions, name, kind, client, (party, identity_secret), wants)| Hello {
                versions,
                name,
                kind,
                client,
                party,
                identity_secret,
                wants: wants.into_iter().collect(),
            },
        )
}

fn body() -> impl Strategy<Value = RequestBody> {
    let seq = || (0..=RequestId::MAX).prop_map(Seq::new);
    let seat = || proptest::option::of(proptest::sample::select(Seat::ALL.to_vec()));
    let kind = || {
        let kinds = vec![PlayerKind::Person, PlayerKind::Bot];
        proptest::option::of(proptest::sample::select(kinds))
    };
    let offer = || proptest::sample::select(Offer::ALL.to_vec());
    let id = || any::<u64>().prop_map(RoomId::from_bits);
    let room = || {
        let code = any::<u64>().prop_map(|bits| RoomRef::Code(RoomCode::from_bits(bits)));
        prop_oneof![id().prop_map(RoomRef::Id), code]
    };
    let token = any::<u128>().prop_map(ResumeToken::from_bits);
    let lobby = prop_oneof![
        (rules(), clock(), seat(), kind()).prop_map(|(rules, clock, seat, opponents)| {
            SessionRequest::Seek {
                rules,
                clock,
                seat,
                opponents,
            }
        }),
        Just(SessionRequest::Cancel),
        (rules(), clock(), seat(), any::<bool>()).prop_map(|(rules, clock, seat, public)| {
            SessionRequest::Create {
                rules,
                clock,
                seat,
                public,
            }
        }),
        room().prop_map(|room| SessionRequest::Join { room }),
        (room(), any::<bool>()).prop_map(|(room, remarks)| SessionRequest::Watch { room, remarks }),
        (
            id(),
            proptest::option::of(token),
            proptest::option::of(seq())
        )
            .prop_map(|(room, token, seq)| SessionRequest::Resume { room, token, seq }),
        seq().prop_map(|seq| SessionRequest::Sync { seq }),
        Just(SessionRequest::Leave),
        Just(SessionRequest::List),
        any::<bool>().prop_map(|end| SessionRequest::Lobby { end }),
        (0..=RequestId::MAX).prop_map(|seek| SessionRequest::AcceptSeek { seek: SeekId(seek) }),
        proptest::sample::select(Phrase::ALL.to_vec())
            .prop_map(|phrase| SessionRequest::Say { phrase }),
        any::<bool>().prop_map(|end| SessionRequest::Substitute { end }),
        Just(SessionRequest::Ping),
    ];
    let command = prop_oneof![
        (any::<u16>(), seq()).prop_map(|(cell, seq)| RoomCommand::Move {
            cell: Cell::new(cell),
            seq
        }),
        Just(RoomCommand::Resign),
        offer().prop_map(|offer| RoomCommand::Offer { offer }),
        offer().prop_map(|offer| RoomCommand::Accept { offer }),
        offer().prop_map(|offer| RoomCommand::Decline { offer }),
        Just(RoomCommand::Claim { result: Claim::Win }),
        Just(RoomCommand::Claim {
            result: Claim::Draw
        }),
        Just(RoomCommand::Flag),
        Just(RoomCommand::Abort),
    ];
    prop_oneof![
        1 => hello().prop_map(RequestBody::Hello),
        4 => lobby.prop_map(RequestBody::Session),
        4 => command.prop_map(RequestBody::Command),
        1 => remark().prop_map(RequestBody::Remark),
    ]
}

fn remark() -> impl Strategy<Value = EngineRemark> {
    let plies = || 1..=Evaluation::MAX_PLIES;
    let evaluation = prop_oneof![
        plies().prop_map(Evaluation::Win),
        plies().prop_map(Evaluation::Loss),
        Just(Evaluation::Draw),
        (-Evaluation::MAX_ESTIMATE..=Evaluation::MAX_ESTIMATE).prop_map(Evaluation::Estimate),
    ];
    let pv = proptest::collection::vec(
        any::<u16>().prop_map(Cell::new),
        0..=EngineRemark::MAX_PV_LEN,
    );
    ((0..=RequestId::MAX).prop_map(Seq::new), evaluation, pv).prop_map(|(seq, evaluation, pv)| {
        EngineRemark {
            seq,
            evaluation,
            pv,
        }
    })
}

fn any_request() -> impl Strategy<Value = Request> {
    (0..=RequestId::MAX, body()).prop_map(|(id, body)| Request {
        id: RequestId::new(id).unwrap(),
        body,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn requests_round_trip(request in any_request()) {
        let text = request.to_json();
        let reparsed = Request::parse(&text).unwrap();
        prop_assert_eq!(reparsed.id, request.id);
        prop_assert_eq!(reparsed.to_json(), text);
    }
}
