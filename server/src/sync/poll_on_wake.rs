//! A future that hardly ever has anything to say, beside others in a task that is woken all the time.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures::task::AtomicWaker;

/// A future that is polled only after it has asked for it. The end of a server is waited for by every
/// task, and looking at it takes a lock that all share: for each message twice, that is felt.
#[derive(Debug)]
pub struct PollOnWake<F> {
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
    /// A future that is polled once, and from then on when it has asked for it.
    pub fn new(future: F) -> PollOnWake<F> {
        let wake_flag = WakeFlag { woken: AtomicBool::new(true), task: AtomicWaker::new() };
        PollOnWake { future, wake_flag: Arc::new(wake_flag) }
    }

    /// The future, to be changed: it is polled once more.
    pub fn get_mut(&mut self) -> &mut F {
        self.wake_flag.woken.store(true, Ordering::Release);
        &mut self.future
    }
}

impl<F: Future + Unpin> Future for PollOnWake<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // First, so that no ring is missed in between.
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
    use std::sync::atomic::AtomicUsize;

    use futures::{FutureExt, poll};
    use tokio::sync::oneshot;

    use super::*;

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
