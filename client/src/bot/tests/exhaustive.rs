//! Every line that an opponent can play against the bot on 3×3, over its real connection.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use futures::FutureExt;
use futures::future::BoxFuture;
use noughts_protocol::{Offer, RoomRef};

use super::*;
use crate::engine::{self, Limits, Report};
use crate::thinker::question::{Question, Think};

/// Our search without a clock, and with the same choice every time: a line is met again as it was, and
/// thought about once.
#[derive(Debug, Default)]
struct Steady(Mutex<HashMap<Vec<Cell>, Option<Report>>>);

impl Think for Steady {
    fn think(&self, question: Question) -> BoxFuture<'static, Option<Report>> {
        let never = AtomicBool::new(false);
        let Question { position, level, .. } = question;
        let mut known = self.0.lock().unwrap();
        let report = known.entry(position.moves().to_vec()).or_insert_with(|| {
            engine::choose(&position, level, Limits::default(), 1, &|| Duration::ZERO, &never)
        });
        std::future::ready(report.clone()).boxed()
    }
}

/// All sequences of choices, one after the other, where the choices of each place depend on those before.
#[derive(Default)]
struct Odometer {
    /// The choice at each place, and how many there are.
    choices: Vec<(usize, usize)>,
    at: usize,
}

impl Odometer {
    fn choose(&mut self, count: usize) -> usize {
        if self.at == self.choices.len() {
            self.choices.push((0, count));
        }
        let (choice, known) = self.choices[self.at];
        assert_eq!(known, count, "the same line again");
        self.at += 1;
        choice
    }

    /// Goes on to the next sequence. False when there is none.
    fn turn(&mut self) -> bool {
        assert_eq!(self.at, self.choices.len(), "the same line again");
        self.at = 0;
        while let Some((choice, count)) = self.choices.pop() {
            if choice + 1 < count {
                self.choices.push((choice + 1, count));
                return true;
            }
        }
        false
    }
}

/// Plays every line against a bot that has this seat; how the games ended for the bot.
async fn every_line(rules: &str, level: Level, bot_seat: Seat) -> [u32; 3] {
    let (pipe, mut calls) = server();
    let shutdown = CancellationToken::new();
    let join = Aim::Join(RoomRef::Id(room()));
    let worker = worker(pipe, join, Manners::of_guest(None), Crew::new(), shutdown.clone());
    let means = Means { own: Arc::new(Steady::default()), limits: child::Limits::default() };
    let bot = tokio::spawn(Worker { thinks: Spec::Level(level), means, ..worker }.work());
    let mut peer = calls.welcome().await;
    let (id, _) = peer.lobby().await;
    let mut referee = Referee::new(rules, None, bot_seat);
    peer.say(referee.snapshot(Some(id))).await;
    let (mut results, mut odometer) = ([0; 3], Odometer::default());
    loop {
        while referee.game.phase() == Phase::Playing {
            if referee.game.position().turn() == referee.bot {
                referee.bot_moves(&mut peer).await;
            } else {
                let cells: Vec<Cell> = referee.game.position().legal_moves().collect();
                let cell = cells[odometer.choose(cells.len())];
                referee.moves(&mut peer, cell, None).await;
            }
        }
        let won = referee.game.outcome().unwrap().winner().map(|winner| winner == referee.bot);
        results[won.map_or(1, |won| if won { 0 } else { 2 })] += 1;
        if !odometer.turn() {
            break;
        }
        // A rematch swaps the seats: two of them, the first given up at once, leave them as they were.
        for between in [true, false] {
            let other = referee.bot.other();
            let offered = referee.happens(Event::Offered { seat: other, offer: Offer::Rematch }, None);
            peer.say(offered).await;
            let (id, accepted) = command(&mut peer).await;
            assert_eq!(accepted, Command::Accept { offer: Offer::Rematch });
            let game = referee.game.number() + 1;
            let started = referee.happens(Event::Started { game }, Some(id));
            peer.say(started).await;
            if between {
                let winner = referee.bot;
                referee.ends(&mut peer, Outcome::Resigned { winner }).await;
            }
        }
    }
    shutdown.cancel();
    leaves(&mut peer).await;
    assert!(bot.await.unwrap().is_ok());
    results
}

#[tokio::test(start_paused = true)]
async fn the_bot_is_never_beaten_on_three_by_three() {
    for rules in ["3x3:3", "3x3:3+misere"] {
        for level in [Level::Hard, Level::Perfect] {
            for seat in Seat::ALL {
                let [won, drawn, lost] = every_line(rules, level, seat).await;
                assert_eq!(lost, 0, "{rules}, {level} as {seat}: won {won}, drawn {drawn}");
                assert!(won > 0 && won + drawn > 50, "{rules}, {level} as {seat}: {won}, {drawn}");
            }
        }
    }
}
