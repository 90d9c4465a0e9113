//! Lines to servers: how one is opened and used, and those of games that are watched side by side, with news of all
//! of them as of one.

use std::task::{Context, Poll};

use noughts_protocol::wire::{self, Body, Hello};
use noughts_protocol::{Kind, Name};

use crate::connection::{Link, News, Options, Retry, SendError};
use crate::model::Ask;
use crate::server_url::ServerUrl;
use crate::update::Msg;

/// The lines, each at the place of its game.
#[derive(Debug, Default)]
pub(super) struct Lines {
    links: Vec<Option<Link>>,
    /// Which is asked first for news, so that none is kept waiting by a busier one.
    first: usize,
}

impl Lines {
    /// Puts a line in its place. What was there is gone: closed before by whoever put it there.
    pub(super) fn put(&mut self, place: usize, link: Link) {
        if self.links.len() <= place {
            self.links.resize_with(place + 1, || None);
        }
        self.links[place] = Some(link);
    }

    /// The line in a place.
    pub(super) fn get(&mut self, place: usize) -> Option<&mut Link> {
        self.links.get_mut(place)?.as_mut()
    }

    /// Takes a line away, to be closed.
    pub(super) fn take(&mut self, place: usize) -> Option<Link> {
        self.links.get_mut(place)?.take()
    }

    /// Takes all of them away.
    pub(super) fn take_all(&mut self) -> impl Iterator<Item = Link> {
        std::mem::take(&mut self.links).into_iter().flatten()
    }

    /// The next piece of news, and of which game; waits for ever when there is no line. May be dropped and
    /// called again: nothing is lost.
    pub(super) async fn next(&mut self) -> (usize, News) {
        std::future::poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<(usize, News)> {
        let count = self.links.len();
        for step in 0..count {
            let place = (self.first + step) % count;
            let Some(link) = &mut self.links[place] else { continue };
            match link.poll_next(context) {
                Poll::Ready(Some(news)) => {
                    self.first = (place + 1) % count;
                    return Poll::Ready((place, news));
                }
                // It has nothing more to say.
                Poll::Ready(None) => self.links[place] = None,
                Poll::Pending => {}
            }
        }
        Poll::Pending
    }
}

/// Opens a line to a server.
pub(super) fn line(server: ServerUrl, name: Name) -> Link {
    let hello = Hello {
        versions: [wire::VERSION; 2],
        name,
        kind: Kind::Human,
        client: Some(concat!("noughts ", env!("CARGO_PKG_VERSION")).to_owned()),
        party: None,
    };
    Link::open(Options { url: server, hello, retry: Retry::default() })
}

/// Hands a request to a line, and says what became of it if anybody waits for that.
pub(super) fn request(link: Option<&mut Link>, body: Body, ask: Option<Ask>) -> Option<Msg> {
    let sent = match link {
        Some(link) => link.send(body),
        None => Err(SendError::Ended),
    };
    match (sent, ask) {
        (Ok(id), Some(ask)) => Some(Msg::Sent { ask, id }),
        (Ok(_), None) => None,
        // Nobody waits for what was sent without a purpose of its own: a farewell.
        (Err(_), None) => None,
        (Err(error), ask) => Some(Msg::Unsent { ask, error }),
    }
}

/// Waits for news of a line; for ever when there is none.
pub(super) async fn next_news(link: &mut Option<Link>) -> Option<News> {
    match link {
        Some(link) => link.next().await,
        None => std::future::pending().await,
    }
}
