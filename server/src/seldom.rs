//! A future that hardly ever has anything to say, beside others in a task that is woken all the time.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures::task::AtomicWaker;

/// A future that is polled only after it has asked for it. The end of a server is waited for by every
/// task, and looking at it takes a lock that all share: for each message twice, that is felt.
#[derive(Debug)]
pub struct Seldom<F> {
    future: F,
    bell: Arc<Bell>,
}

#[derive(Debug)]
struct Bell {
    rung: AtomicBool,
    task: AtomicWaker,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.rung.store(true, Ordering::Release);
        self.task.wake();
    }
}

impl<F> Seldom<F> {
    /// A future that is polled once, and from then on when it has asked for it.
    pub fn new(future: F) -> Seldom<F> {
        let bell = Bell { rung: AtomicBool::new(true), task: AtomicWaker::new() };
        Seldom { future, bell: Arc::new(bell) }
    }

    /// The future, to be changed: it is polled once more.
    pub fn change(&mut self) -> &mut F {
        self.bell.rung.store(true, Ordering::Release);
        &mut self.future
    }
}

impl<F: Future + Unpin> Future for Seldom<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // First, so that no ring is missed in between.
        self.bell.task.register(context.waker());
        if !self.bell.rung.load(Ordering::Acquire) {
            return Poll::Pending;
        }
        self.bell.rung.store(false, Ordering::Release);
        let bell = Waker::from(Arc::clone(&self.bell));
        Pin::new(&mut self.future).poll(&mut Context::from_waker(&bell))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use futures::{FutureExt, poll};
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn it_is_polled_when_it_asks_and_not_before() {
        let polls = AtomicUsize::new(0);
        let (tell, mut told) = oneshot::channel::<()>();
        let counted = std::future::poll_fn(|context| {
            polls.fetch_add(1, Ordering::SeqCst);
            Pin::new(&mut told).poll(context)
        });
        let mut seldom = Seldom::new(Box::pin(counted));
        for _ in 0..5 {
            assert!(poll!(&mut seldom).is_pending());
        }
        assert_eq!(polls.load(Ordering::SeqCst), 1);
        tell.send(()).unwrap();
        assert_eq!(seldom.await, Ok(()));
        assert_eq!(polls.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn it_is_polled_again_once_it_was_changed() {
        let mut seldom = Seldom::new(futures::future::pending::<u32>().boxed());
        assert!(poll!(&mut seldom).is_pending());
        *seldom.change() = futures::future::ready(3).boxed();
        assert_eq!(poll!(&mut seldom), Poll::Ready(3));
    }

    #[tokio::test]
    async fn it_wakes_the_task_that_waits_for_it() {
        let (tell, told) = oneshot::channel();
        let waiting = tokio::spawn(Seldom::new(told));
        tokio::task::yield_now().await;
        tell.send(7).unwrap();
        assert_eq!(waiting.await.unwrap(), Ok(7));
    }
}
