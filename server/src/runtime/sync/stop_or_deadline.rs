//! A cancellation token and one resettable deadline, for tasks that poll by hand.
//!
//! - Replaces: `CancellationToken::cancelled` and `sleep_until` as branches of `tokio::select!`.
//! - Gain: a busy task is woken for every message. Polling the token takes a lock that all tasks share, and polling the
//!   timer takes a lock of the timer wheel; [`PollOnWake`] replaces both by one atomic load. The gain is measured
//!   together with the other hand-written parts of a connection (see [`crate::connection`]).
//! - Invariant: the inner futures are polled after their own waker fired, after the deadline was changed, and at first.
//!   A caller that changes the deadline calls [`StopOrDeadline::poll_stop`] before it returns `Pending`.
//! - Guarded by: the tests of this module, and `tests/system/connections/dead_network.rs` for the pings that depend on it.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures::FutureExt;
use futures::task::AtomicWaker;
use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// Waits for cancellation and for a deadline.
#[derive(Debug)]
pub(crate) struct StopOrDeadline {
    inner: PollOnWake<Pin<Box<StopAndTimer>>>,
    /// The deadline of the timer, until [`StopOrDeadline::take_fired`] reports it.
    deadline: Option<Instant>,
    /// The deadline has passed and has not been reported.
    fired: bool,
}

impl StopOrDeadline {
    /// Waits for the cancellation of `stop`, and for `deadline`.
    pub(crate) fn new(stop: &CancellationToken, deadline: Instant) -> StopOrDeadline {
        let inner = StopAndTimer { stop: stop.clone().cancelled_owned(), timer: sleep_until(deadline) };
        StopOrDeadline { inner: PollOnWake::new(Box::pin(inner)), deadline: Some(deadline), fired: false }
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
        self.inner.get_mut().as_mut().project().timer.reset(deadline);
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

/// Polls the inner future only after its own waker fired, not on every wake-up of the task.
#[derive(Debug)]
struct PollOnWake<F> {
    future: F,
    wake_flag: Arc<WakeFlag>,
}

#[derive(Debug)]
struct WakeFlag {
    woken: AtomicBool,
    task: AtomicWaker,
}

impl Wake for WakeFlag {
    fn wake(self: Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        self.task.wake();
    }
}

impl<F> PollOnWake<F> {
    /// Wraps `future`, which the first poll polls.
    fn new(future: F) -> PollOnWake<F> {
        let wake_flag = WakeFlag { woken: AtomicBool::new(true), task: AtomicWaker::new() };
        PollOnWake { future, wake_flag: Arc::new(wake_flag) }
    }

    /// Returns the inner future for a change, and makes the next poll poll it.
    fn get_mut(&mut self) -> &mut F {
        self.wake_flag.woken.store(true, Ordering::Release);
        &mut self.future
    }
}

impl<F: Future + Unpin> Future for PollOnWake<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // Before the flag is read: a wake-up in between finds the task.
        self.wake_flag.task.register(context.waker());
        if !self.wake_flag.woken.load(Ordering::Acquire) {
            return Poll::Pending;
        }
        self.wake_flag.woken.store(false, Ordering::Release);
        let waker = Waker::from(Arc::clone(&self.wake_flag));
        Pin::new(&mut self.future).poll(&mut Context::from_waker(&waker))
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;

    use futures::poll;
    use tokio::sync::oneshot;

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
        let mut stop_or_deadline = StopOrDeadline::new(&CancellationToken::new(), start + 9 * second);
        stop_or_deadline.set_deadline_if_earlier(start + 5 * second);
        stop_or_deadline.set_deadline_if_earlier(start + 7 * second);
        assert_eq!((wait_fired(&mut stop_or_deadline).await, start.elapsed()), (Fired::Deadline, 5 * second));
        assert!(!stop_or_deadline.take_fired(), "once");
        stop_or_deadline.set_deadline_if_earlier(start + 8 * second);
        assert_eq!((wait_fired(&mut stop_or_deadline).await, start.elapsed()), (Fired::Deadline, 8 * second));
        assert!(stop_or_deadline.set_deadline(start + 9 * second));
        assert!(stop_or_deadline.set_deadline(start + 11 * second));
        assert!(!stop_or_deadline.set_deadline(start + 11 * second), "unchanged");
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

    #[tokio::test]
    async fn inner_future_is_polled_only_after_its_waker_fired() {
        let polls = AtomicUsize::new(0);
        let (sender, mut receiver) = oneshot::channel::<()>();
        let counted = std::future::poll_fn(|context| {
            polls.fetch_add(1, Ordering::SeqCst);
            Pin::new(&mut receiver).poll(context)
        });
        let mut future = PollOnWake::new(Box::pin(counted));
        for _ in 0..5 {
            assert!(poll!(&mut future).is_pending());
        }
        assert_eq!(polls.load(Ordering::SeqCst), 1);
        sender.send(()).unwrap();
        assert_eq!(future.await, Ok(()));
        assert_eq!(polls.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn inner_future_is_polled_again_after_get_mut() {
        let mut future = PollOnWake::new(futures::future::pending::<u32>().boxed());
        assert!(poll!(&mut future).is_pending());
        *future.get_mut() = futures::future::ready(3).boxed();
        assert_eq!(poll!(&mut future), Poll::Ready(3));
    }

    #[tokio::test]
    async fn inner_waker_wakes_the_task() {
        let (sender, receiver) = oneshot::channel();
        let waiting = tokio::spawn(PollOnWake::new(receiver));
        tokio::task::yield_now().await;
        sender.send(7).unwrap();
        assert_eq!(waiting.await.unwrap(), Ok(7));
    }
}
