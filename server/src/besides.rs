//! What a task waits for besides what it is told: the end, and the time.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::FutureExt;
use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use crate::seldom::Seldom;

/// The end and the time, for a task that is woken all the time by something else.
#[derive(Debug)]
pub struct Besides {
    both: Seldom<Pin<Box<Both>>>,
    /// What the timer is set to, until that is taken.
    at: Option<Instant>,
    /// It has fired, and was not asked for.
    due: bool,
}

pin_project! {
    #[derive(Debug)]
    struct Both {
        #[pin]
        end: WaitForCancellationFutureOwned,
        #[pin]
        timer: Sleep,
    }
}

/// Which of them it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    End,
    Time,
}

impl Future for Both {
    type Output = Which;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Which> {
        let both = self.project();
        if both.end.poll(context).is_ready() {
            return Poll::Ready(Which::End);
        }
        both.timer.poll(context).map(|()| Which::Time)
    }
}

impl Besides {
    /// Waits for this end, and for that time at first.
    pub fn new(end: &CancellationToken, at: Instant) -> Besides {
        let both = Both { end: end.clone().cancelled_owned(), timer: sleep_until(at) };
        Besides { both: Seldom::new(Box::pin(both)), at: Some(at), due: false }
    }

    /// Waits for this time, and no other. Says whether that is news: then [`Besides::poll_end`] has to be asked again,
    /// without which nobody is woken for it.
    #[must_use = "a time that is news wakes nobody before the next look"]
    pub fn wake_at(&mut self, at: Instant) -> bool {
        let news = self.at != Some(at);
        if news {
            self.set(at);
        }
        news
    }

    /// Waits for this time at most: one set earlier is left as it is, since most deadlines move away with every event,
    /// and a look too early costs less than to set the timer every time. [`Besides::poll_end`] has to be asked after it.
    pub fn wake_by(&mut self, at: Instant) {
        if self.at.is_none_or(|sooner| at < sooner) {
            self.set(at);
        }
    }

    fn set(&mut self, at: Instant) {
        self.both.change().as_mut().project().timer.reset(at);
        self.at = Some(at);
        self.due = false;
    }

    /// Looks at both, and says whether it is the end. Whether the time has come, [`Besides::due`] says after all else
    /// that there is to do.
    pub fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        match self.both.poll_unpin(context) {
            Poll::Ready(Which::End) => return Poll::Ready(()),
            Poll::Ready(Which::Time) => self.due = self.at.is_some(),
            Poll::Pending => {}
        }
        Poll::Pending
    }

    /// Whether the time has come: once, and then another may be set.
    pub fn due(&mut self) -> bool {
        let due = std::mem::take(&mut self.due);
        if due {
            self.at = None;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::time::Duration;

    use super::*;

    /// Waits until it is the end or the time.
    async fn woken(besides: &mut Besides) -> Which {
        poll_fn(|context| {
            let ended = besides.poll_end(context).map(|()| Which::End);
            if ended.is_pending() && besides.due() { Poll::Ready(Which::Time) } else { ended }
        })
        .await
    }

    #[tokio::test(start_paused = true)]
    async fn it_wakes_at_the_time_that_was_set_last_or_first() {
        let (start, second) = (Instant::now(), Duration::from_secs(1));
        let mut besides = Besides::new(&CancellationToken::new(), start + 9 * second);
        besides.wake_by(start + 5 * second);
        besides.wake_by(start + 7 * second);
        assert_eq!((woken(&mut besides).await, start.elapsed()), (Which::Time, 5 * second));
        assert!(!besides.due(), "once");
        besides.wake_by(start + 8 * second);
        assert_eq!((woken(&mut besides).await, start.elapsed()), (Which::Time, 8 * second));
        assert!(besides.wake_at(start + 9 * second));
        assert!(besides.wake_at(start + 11 * second));
        assert!(!besides.wake_at(start + 11 * second), "no news");
        assert_eq!((woken(&mut besides).await, start.elapsed()), (Which::Time, 11 * second));
    }

    #[tokio::test(start_paused = true)]
    async fn a_time_that_has_come_is_kept_until_it_is_asked_for() {
        let at = Instant::now() + Duration::from_secs(1);
        let mut besides = Besides::new(&CancellationToken::new(), at);
        tokio::time::sleep(Duration::from_secs(2)).await;
        let look = async |besides: &mut Besides| {
            let ended = poll_fn(|context| Poll::Ready(besides.poll_end(context).is_ready())).await;
            assert!(!ended);
        };
        look(&mut besides).await;
        // Something else came first, and a look at the same time again.
        assert!(!besides.wake_at(at));
        assert!(besides.due());
        look(&mut besides).await;
        assert!(!besides.due(), "once");
    }

    #[tokio::test(start_paused = true)]
    async fn it_wakes_for_the_end_whatever_the_time_is() {
        let end = CancellationToken::new();
        let mut besides = Besides::new(&end, Instant::now());
        assert_eq!(woken(&mut besides).await, Which::Time);
        let waiting = tokio::spawn(async move { woken(&mut besides).await });
        tokio::task::yield_now().await;
        end.cancel();
        assert_eq!(waiting.await.unwrap(), Which::End);
    }
}
