//! The life of a connection, from the first attempt to the last word.
//!
//! The consumer is never waited for without a limit of its own making: while it is slow the task reads no
//! more, and when it has gone the task ends.

use std::time::Duration;

use noughts_protocol::wire::{Body, CloseCode, Message, Reject, RejectCode, Request};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};

use super::chance::Chance;
use super::line::{Line, greet, not_ready};
use super::socket::{Dial, Heard, Lost, OpenError, Socket};
use super::standing::Standing;
use super::{Ended, News, Offline, Options, Retry, backoff, request_id};

/// For the answers to hello and resume.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);
/// A line that held for this long counts as good: the next loss is a new one.
const STEADY_AFTER: Duration = Duration::from_secs(10);
/// A server that sends nonsense this often in a row will not stop.
const GARBLED_AT_MOST: u32 = 3;

/// Runs a connection until it ends for good or the consumer has gone.
pub(super) async fn run<D: Dial>(
    mut options: Options,
    dial: D,
    mut chance: Chance,
    news: mpsc::Sender<News>,
    requests: mpsc::Receiver<Request>,
) {
    // Known by it on every line of its own, and on nobody else's.
    options.hello.party.get_or_insert_with(|| chance.party());
    let session = Session {
        options,
        dial,
        news,
        requests,
        standing: Standing::default(),
        // The task's own requests are told from the consumer's by numbers far from theirs.
        next_id: chance.number(),
        chance,
        come_back_in: None,
    };
    session.live().await;
}

/// What one connection needs, beside the socket.
struct Session<D> {
    options: Options,
    dial: D,
    chance: Chance,
    news: mpsc::Sender<News>,
    requests: mpsc::Receiver<Request>,
    standing: Standing,
    next_id: u64,
    /// The server has said that it restarts, and when to be back.
    come_back_in: Option<Duration>,
}

/// The consumer has dropped its handle.
struct Gone;

/// How long the line has been bad.
struct Outage {
    /// The line was there until then.
    since: Instant,
    /// Attempts since it was last there for long.
    attempts: u32,
    garbled: u32,
}

impl<D: Dial> Session<D> {
    async fn live(mut self) {
        match self.live_until_end().await {
            Ok(ended) => {
                tracing::debug!(%ended, "connection ended");
                if self.news.send(News::Ended(ended)).await.is_err() {
                    tracing::debug!("nobody waits for the end");
                }
            }
            Err(Gone) => tracing::debug!("connection dropped"),
        }
    }

    async fn live_until_end(&mut self) -> Result<Ended, Gone> {
        let mut outage = Outage { since: Instant::now(), attempts: 0, garbled: 0 };
        let mut welcomed_before = false;
        loop {
            outage.attempts += 1;
            self.tell(News::Connecting { attempt: outage.attempts }).await?;
            let (lost, welcomed_at) = self.connect_and_serve().await?;
            let why = match lost {
                Lost::Ended(ended) => return Ok(ended),
                Lost::Offline(why) => why,
            };
            let now = Instant::now();
            if let Some(at) = welcomed_at {
                outage.since = now;
                if !welcomed_before || now - at >= STEADY_AFTER {
                    outage = Outage { since: now, attempts: 0, garbled: 0 };
                }
                welcomed_before = true;
            }
            if !welcomed_before {
                let http = if let Offline::Http(status) = why { Some(status) } else { None };
                return Ok(http.map_or_else(|| Ended::CannotConnect(why), Ended::Http));
            }
            for id in self.standing.cut() {
                self.tell(News::Lost(id)).await?;
            }
            outage.garbled += u32::from(why == Offline::Garbled);
            let Some(retry_in) = self.retry_in(&outage, &why, now) else { return Ok(Ended::GaveUp(why)) };
            tracing::debug!(%why, ?retry_in, "offline");
            self.tell(News::Offline { attempt: outage.attempts + 1, retry_in, why }).await?;
            tokio::select! {
                biased;
                () = self.news.closed() => return Err(Gone),
                () = sleep_until(now + retry_in) => {}
            }
        }
    }

    /// How long to wait, if there is to be another attempt.
    fn retry_in(&mut self, outage: &Outage, why: &Offline, now: Instant) -> Option<Duration> {
        let Retry::For(patience) = self.options.retry else { return None };
        if outage.garbled >= GARBLED_AT_MOST {
            return None;
        }
        let asked = if let Offline::NotReady(reject) = why {
            reject.wait_ms.map(Duration::from_millis)
        } else {
            self.come_back_in.take()
        };
        let retry_in = match asked {
            Some(asked) => backoff::asked_delay(asked, self.chance.fraction()),
            None => backoff::delay(outage.attempts + 1, self.chance.fraction()),
        };
        (now - outage.since + retry_in <= patience).then_some(retry_in)
    }

    /// One connection, from dialling to its end, and when the server welcomed it, if it did.
    async fn connect_and_serve(&mut self) -> Result<(Lost, Option<Instant>), Gone> {
        let opened = tokio::select! {
            biased;
            () = self.news.closed() => return Err(Gone),
            opened = Socket::open(&mut self.dial, &self.options.url) => opened,
        };
        let mut socket = match opened {
            Ok(socket) => socket,
            Err(OpenError::Offline(why)) => return Ok((why.into(), None)),
            Err(OpenError::Http(status @ (408 | 425 | 429 | 500..))) => {
                return Ok((Offline::Http(status).into(), None));
            }
            Err(OpenError::Http(status)) => return Ok((Lost::Ended(Ended::Http(status)), None)),
            Err(OpenError::NotNoughts) => return Ok((Lost::Ended(Ended::NotNoughts), None)),
        };
        let greeted = tokio::select! {
            biased;
            () = self.news.closed() => return Err(Gone),
            greeted = timeout(ANSWER_WITHIN, greet(&mut socket, &self.options, self.next_id)) => greeted,
        };
        self.next_id = self.next_id.wrapping_add(1);
        let welcome = match greeted.unwrap_or(Err(Offline::Timeout.into())) {
            Ok(welcome) => welcome,
            Err(lost) => {
                socket.close().await;
                return Ok((lost, None));
            }
        };
        let now = Instant::now();
        let mut line = Line::new(socket, welcome, now);
        let lost = match self.begin(&mut line).await {
            Ok(()) => self.serve(&mut line).await,
            Err(why) => why.into(),
        };
        if lost.is_orderly() {
            line.socket.close().await;
        }
        // The consumer hears all that the server said before it hears of the end.
        for news in line.to_tell {
            self.tell(news).await?;
        }
        Ok((lost, Some(now)))
    }

    /// Asks for the old place, if there was one.
    async fn begin(&mut self, line: &mut Line<D::Stream>) -> Result<(), Offline> {
        let Some(way_back) = self.standing.way_back() else { return Ok(()) };
        // What the server tells is known here, and where it differs, this is newer.
        line.held = None;
        let request = Request { id: request_id(self.next_id), body: Body::Lobby(way_back) };
        self.next_id = self.next_id.wrapping_add(1);
        line.resuming = Some((request.id, Instant::now() + ANSWER_WITHIN));
        line.send(&request).await
    }

    /// Carries messages both ways until the line ends.
    async fn serve(&mut self, line: &mut Line<D::Stream>) -> Lost {
        let consumer = self.news.clone();
        loop {
            let now = Instant::now();
            let ready_at = line.pace.ready_at();
            // While the seat is being taken again nothing else is asked.
            let may_send = line.resuming.is_none() && ready_at <= now;
            let give_up_at = match line.resuming {
                Some((_, by)) => by,
                None => line.heard_at + line.silence,
            };
            let quiet = line.to_tell.is_empty();
            tokio::select! {
                biased;
                () = std::future::ready(()), if may_send && !line.again.is_empty() => {
                    if let Some(request) = line.again.pop_front()
                        && let Err(why) = line.send(&request).await
                    {
                        return why.into();
                    }
                }
                request = self.requests.recv(), if may_send && (self.standing.may_send() || self.requests.is_closed()) => {
                    let Some(request) = request else { return Lost::Ended(Ended::Closed) };
                    self.standing.sends(&request);
                    let request = line.in_place_of(request);
                    if let Err(why) = line.send(&request).await {
                        return why.into();
                    }
                }
                permit = consumer.reserve(), if !quiet => match (permit, line.to_tell.pop_front()) {
                    (Ok(permit), Some(news)) => permit.send(news),
                    // The handle is gone: what is still to be sent goes out, and nobody is told.
                    (Err(_), _) | (Ok(_), None) => line.to_tell.clear(),
                },
                heard = line.socket.next(), if quiet => {
                    line.heard_at = Instant::now();
                    let lost = match heard {
                        Ok(Heard::Text(text)) => self.hears(line, &text).err(),
                        Ok(Heard::Ping) => None,
                        Ok(Heard::Close(code)) => Some(self.closed(code)),
                        Err(why) => Some(self.unless_restarting(why)),
                    };
                    if let Some(lost) = lost {
                        return lost;
                    }
                }
                () = sleep_until(ready_at), if ready_at > now => {}
                () = sleep_until(give_up_at), if quiet => {
                    return if line.resuming.is_some() { Offline::Timeout.into() } else { Offline::Silent.into() };
                }
            }
        }
    }

    /// Takes in a message and passes it on.
    fn hears(&mut self, line: &mut Line<D::Stream>, text: &str) -> Result<(), Lost> {
        let message = Message::parse(text).map_err(|error| {
            tracing::warn!(%error, bytes = text.len(), "no message of this wire");
            Lost::Offline(Offline::Garbled)
        })?;
        if let Message::Reject { re, reject: Reject { code: RejectCode::UnknownRoom, .. } } = &message
            && let Some(asked) = line.displaced.take_if(|asked| Some(asked.id) == *re)
        {
            // The seat is no more, and nobody but this task knows that it was asked for.
            line.again.push_back(asked);
            return Ok(());
        }
        self.standing.hears(&message);
        let mut lost = Vec::new();
        match (&message, line.resuming) {
            (
                Message::Events { re: Some(re), .. } | Message::Snapshot { re: Some(re), .. },
                Some((id, _)),
            ) if *re == id => {
                line.resuming = None;
                line.again = self.standing.to_send_again();
            }
            (Message::Reject { re: Some(re), reject }, Some((id, _))) if *re == id => {
                if not_ready(reject) {
                    return Err(Offline::NotReady(reject.clone()).into());
                }
                line.resuming = None;
                lost = self.standing.forget_room();
            }
            (Message::Restarting { back_in_ms }, _) => {
                self.come_back_in = Some(Duration::from_millis(*back_in_ms));
            }
            _ => {}
        }
        line.to_tell.push_back(News::Message(message));
        line.to_tell.extend(lost.into_iter().map(News::Lost));
        Ok(())
    }

    /// What a close code asks for.
    fn closed(&self, code: Option<u16>) -> Lost {
        match (code.and_then(CloseCode::from_code), code) {
            (Some(CloseCode::Restarting), _) => Offline::Restarting.into(),
            (Some(CloseCode::Replaced), _) => Lost::Ended(Ended::Replaced),
            (Some(CloseCode::Version), _) => Lost::Ended(Ended::Refused(Reject::new(RejectCode::Version))),
            (Some(known), _) if !known.may_resume() => Lost::Ended(Ended::Final(known)),
            // A newer server's codes say in their hundreds what to do.
            (None, Some(4000..=4099)) => Lost::Ended(Ended::GaveUp(Offline::Closed(code))),
            (Some(_) | None, _) => self.unless_restarting(Offline::Closed(code)),
        }
    }

    /// A line that breaks after the server has announced its restart broke for that reason.
    fn unless_restarting(&self, why: Offline) -> Lost {
        if self.come_back_in.is_some() { Offline::Restarting.into() } else { why.into() }
    }

    async fn tell(&mut self, news: News) -> Result<(), Gone> {
        self.news.send(news).await.map_err(|_| Gone)
    }
}
