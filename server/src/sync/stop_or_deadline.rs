//! What a task waits for besides what it is told: the end, and the time.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::FutureExt;
use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use crate::sync::poll_on_wake::PollOnWake;

/// The end and the time, for a task that is woken all the time by something else.
#[derive(Debug)]
pub struct StopOrDeadline {
    inner: PollOnWake<Pin<Box<Both>>>,
    /// What the timer is set to, until that is taken.
    deadline: Option<Instant>,
    /// It has fired, and was not asked for.
    fired: bool,
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
enum Fired {
    Stop,
    Deadline,
}

impl Future for Both {
    type Output = Fired;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Fired> {
        let both = self.project();
        if both.end.poll(context).is_ready() {
            return Poll::Ready(Fired::Stop);
        }
        both.timer.poll(context).map(|()| Fired::Deadline)
    }
}

impl StopOrDeadline {
    /// Waits for this end, and for that time at first.
    pub fn new(stop: &CancellationToken, deadline: Instant) -> StopOrDeadline {
        let inner = Both { end: stop.clone().cancelled_owned(), timer: sleep_until(deadline) };
        StopOrDeadline { inner: PollOnWake::new(Box::pin(inner)), deadline: Some(deadline), fired: false }
    }

    /// Waits for this time, and no other. Says whether that is news: then [`StopOrDeadline::poll_stop`] has to be asked again,
    /// without which nobody is woken for it.
    #[must_use = "a time that is news wakes nobody before the next look"]
    pub fn set_deadline(&mut self, deadline: Instant) -> bool {
        let changed = self.deadline != Some(deadline);
        if changed {
            self.reset_timer(deadline);
        }
        changed
    }

    /// Waits for this time at most: one set earlier is left as it is, since most deadlines move away with every event,
    /// and a look too early costs less than to set the timer every time. [`StopOrDeadline::poll_stop`] has to be asked after it.
    pub fn set_deadline_if_earlier(&mut self, deadline: Instant) {
        if self.deadline.is_none_or(|current| deadline < current) {
            self.reset_timer(deadline);
        }
    }

    fn reset_timer(&mut self, deadline: Instant) {
        self.inner.get_mut().as_mut().project().timer.reset(deadline);
        self.deadline = Some(deadline);
        self.fired = false;
    }

    /// Looks at both, and says whether it is the end. Whether the time has come, [`StopOrDeadline::take_fired`] says after all else
    /// that there is to do.
    pub fn poll_stop(&mut self, context: &mut Context<'_>) -> Poll<()> {
        match self.inner.poll_unpin(context) {
            Poll::Ready(Fired::Stop) => return Poll::Ready(()),
            Poll::Ready(Fired::Deadline) => self.fired = self.deadline.is_some(),
            Poll::Pending => {}
        }
        Poll::Pending
    }

    /// Whether the time has come: once, and then another may be set.
    pub fn take_fired(&mut self) -> bool {
        let fired = std::mem::take(&mut self.fired);
        if fired {
            self.deadline = None;
        }
        fired
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::time::Duration;

    use super::*;

    /// Waits until it is the end or the time.
    async fn wait_fired(stop_or_deadline: &mut StopOrDeadline) -> Fired {
        poll_fn(|context| {
            let stopped = stop_or_deadline.poll_stop(context).map(|()| Fired::Stop);
            if stopped.is_pending() && stop_or_deadline.take_fired() {
                Poll::Ready(Fired::Deadline)
            } else {
                stopped
            }
        })
        .await
    }

    #[tokio::test(start_paused = true)]
    async fn fires_at_the_deadline_set_last_or_earliest() {
        let (start, second) = (Instant::now(), Duration::from_secs(1));
        let mut stop_or_deadline = StopOrDeadline::new(&CancellationToken::new(), start + 9 * second);
        stop_or_deadline.set_deadline_if_earlier(start + 5 * second);
        stop_or_deadline.set_deadline_if_earlier(start + 7 * second);
        assert_eq!((wait_fired(&mut stop_or_deadline).await, start.elapsed()), (Fired::Deadline, 5 * second));
        assert!(!stop_or_deadline.take_fired(), "once");
        stop_or_deadline.set_deadline_if_earlier(start + 8 * second);
        assert_eq!((wait_fired(&mut stop_or_deadline).await, start.elapsed()), (Fired::Deadline, 8 * second));
        assert!(stop_or_deadline.set_deadline(start + 9 * second));
        assert!(stop_or_deadline.set_deadline(start + 11 * second));
        assert!(!stop_or_deadline.set_deadline(start + 11 * second), "no news");
        assert_eq!(
            (wait_fired(&mut stop_or_deadline).await, start.elapsed()),
            (Fired::Deadline, 11 * second)
        );
    }

    #[tokio::test(start_paused = true)]
    async fn fired_deadline_is_kept_until_taken() {
        let deadline = Instant::now() + Duration::from_secs(1);
        let mut stop_or_deadline = StopOrDeadline::new(&CancellationToken::new(), deadline);
        tokio::time::sleep(Duration::from_secs(2)).await;
        let poll_once = async |besides: &mut StopOrDeadline| {
            let ended = poll_fn(|context| Poll::Ready(besides.poll_stop(context).is_ready())).await;
            assert!(!ended);
        };
        poll_once(&mut stop_or_deadline).await;
        // Something else came first, and a look at the same time again.
        assert!(!stop_or_deadline.set_deadline(deadline));
        assert!(stop_or_deadline.take_fired());
        poll_once(&mut stop_or_deadline).await;
        assert!(!stop_or_deadline.take_fired(), "once");
    }

    #[tokio::test(start_paused = true)]
    async fn stop_fires_regardless_of_the_deadline() {
        let stop = CancellationToken::new();
        let mut stop_or_deadline = StopOrDeadline::new(&stop, Instant::now());
        assert_eq!(wait_fired(&mut stop_or_deadline).await, Fired::Deadline);
        let waiting = tokio::spawn(async move { wait_fired(&mut stop_or_deadline).await });
        tokio::task::yield_now().await;
        stop.cancel();
        assert_eq!(waiting.await.unwrap(), Fired::Stop);
    }
}
