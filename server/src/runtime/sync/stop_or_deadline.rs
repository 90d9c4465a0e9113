//! A cancellation token and one resettable deadline in one future, for tasks that poll by hand.
//!
//! A caller that changes the deadline calls [`StopOrDeadline::poll_stop`] before it returns `Pending`.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::FutureExt;
use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// Waits for cancellation and for a deadline.
#[derive(Debug)]
pub(crate) struct StopOrDeadline {
    inner: Pin<Box<StopAndTimer>>,
    /// The deadline of the timer, until [`StopOrDeadline::take_fired`] reports it.
    deadline: Option<Instant>,
    /// The deadline has passed and has not been reported.
    fired: bool,
}

impl StopOrDeadline {
    /// Waits for the cancellation of `stop`, and for `deadline`.
    pub(crate) fn new(stop: &CancellationToken, deadline: Instant) -> StopOrDeadline {
        let inner = StopAndTimer {
            stop: stop.clone().cancelled_owned(),
            timer: sleep_until(deadline),
        };
        StopOrDeadline {
            inner: Box::pin(inner),
            deadline: Some(deadline),
            fired: false,
        }
    }

    /// Replaces the deadline. Returns whether it changed; then the caller must call [`StopOrDeadline::poll_stop`],
    /// which registers the task with the timer.
    #[must_use = "a changed deadline wakes no task before the next poll_stop"]
    pub(crate) fn set_deadline(&mut self, deadline: Instant) -> bool {
        let changed = self.deadline != Some(deadline);
        if changed {
            self.reset_timer(deadline);
        }
        changed
    }

    /// Replaces the deadline if the new one is earlier. The caller must call [`StopOrDeadline::poll_stop`] afterwards.
    ///
    /// Most deadlines move away with every event. A wake-up that comes too early costs less than resetting the timer
    /// every time.
    pub(crate) fn set_deadline_if_earlier(&mut self, deadline: Instant) {
        if self.deadline.is_none_or(|current| deadline < current) {
            self.reset_timer(deadline);
        }
    }

    fn reset_timer(&mut self, deadline: Instant) {
        self.inner.as_mut().project().timer.reset(deadline);
        self.deadline = Some(deadline);
        self.fired = false;
    }

    /// Polls both, and is ready once the token is cancelled. [`StopOrDeadline::take_fired`] reports the deadline, so
    /// that a caller can do other work first.
    pub(crate) fn poll_stop(&mut self, context: &mut Context<'_>) -> Poll<()> {
        match self.inner.poll_unpin(context) {
            Poll::Ready(Fired::Stop) => return Poll::Ready(()),
            Poll::Ready(Fired::Deadline) => self.fired = self.deadline.is_some(),
            Poll::Pending => {}
        }
        Poll::Pending
    }

    /// Returns whether the deadline has passed, and clears it.
    pub(crate) fn take_fired(&mut self) -> bool {
        let fired = std::mem::take(&mut self.fired);
        if fired {
            self.deadline = None;
        }
        fired
    }
}

pin_project! {
    #[derive(Debug)]
    struct StopAndTimer {
        #[pin]
        stop: WaitForCancellationFutureOwned,
        #[pin]
        timer: Sleep,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fired {
    Stop,
    Deadline,
}

impl Future for StopAndTimer {
    type Output = Fired;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Fired> {
        let this = self.project();
        if this.stop.poll(context).is_ready() {
            return Poll::Ready(Fired::Stop);
        }
        this.timer.poll(context).map(|()| Fired::Deadline)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::time::Duration;

    use super::*;

    /// Waits until the token is cancelled or the deadline passes.
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
        let mut stop_or_deadline =
            StopOrDeadline::new(&CancellationToken::new(), start + 9 * second);
        stop_or_deadline.set_deadline_if_earlier(start + 5 * second);
        stop_or_deadline.set_deadline_if_earlier(start + 7 * second);
        assert_eq!(
            (wait_fired(&mut stop_or_deadline).await, start.elapsed()),
            (Fired::Deadline, 5 * second)
        );
        assert!(!stop_or_deadline.take_fired(), "once");
        stop_or_deadline.set_deadline_if_earlier(start + 8 * second);
        assert_eq!(
            (wait_fired(&mut stop_or_deadline).await, start.elapsed()),
            (Fired::Deadline, 8 * second)
        );
        assert!(stop_or_deadline.set_deadline(start + 9 * second));
        assert!(stop_or_deadline.set_deadline(start + 11 * second));
        assert!(
            !stop_or_deadline.set_deadline(start + 11 * second),
            "unchanged"
        );
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
        let poll_once = async |waiting: &mut StopOrDeadline| {
            let ended = poll_fn(|context| Poll::Ready(waiting.poll_stop(context).is_ready())).await;
            assert!(!ended);
        };
        poll_once(&mut stop_or_deadline).await;
        // The task does other work first and sets the same deadline again.
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
