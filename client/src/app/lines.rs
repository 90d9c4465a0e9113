//! The lines of games that are watched side by side: one each, and news of all of them as of one.

use std::task::{Context, Poll};

use crate::connection::{Link, News};

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
