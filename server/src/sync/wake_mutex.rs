//! Something that one task waits for and others change: under one lock, with one waker.
//!
//! What waits in it takes memory only while it waits. A channel keeps places ready, and a server has two
//! for every player of which most are empty for ever; and a signal beside the queue is a second thing to
//! wait for, which costs more than the queue itself.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// A state, and the task that waits for it.
#[derive(Debug)]
pub struct WakeMutex<S>(Mutex<Inner<S>>);

#[derive(Debug)]
struct Inner<S> {
    state: S,
    waker: Option<Waker>,
}

impl<S> WakeMutex<S> {
    /// A mailbox in this state, for which nobody waits.
    pub fn new(state: S) -> WakeMutex<S> {
        WakeMutex(Mutex::new(Inner { state, waker: None }))
    }

    /// Looks, or changes what the reader needs not hear of.
    pub fn with_lock<R>(&self, look: impl FnOnce(&mut S) -> R) -> R {
        look(&mut self.lock_inner().state)
    }

    /// Changes something, and wakes the reader.
    pub fn update<R>(&self, change: impl FnOnce(&mut S) -> R) -> R {
        self.update_if(|state| (change(state), true))
    }

    /// Changes something, and wakes the reader if the change says so.
    pub fn update_if<R>(&self, change: impl FnOnce(&mut S) -> (R, bool)) -> R {
        let (done, waker) = {
            let mut inner = self.lock_inner();
            let (done, wake) = change(&mut inner.state);
            (done, if wake { inner.waker.take() } else { None })
        };
        // Not under the lock, which the woken wants at once.
        if let Some(waker) = waker {
            waker.wake();
        }
        done
    }

    /// What `take` finds; else the task is woken by the next change that is told, to look again. One task only.
    pub fn poll_next<N>(&self, context: &mut Context<'_>, take: impl FnOnce(&mut S) -> Option<N>) -> Poll<N> {
        let mut inner = self.lock_inner();
        if let Some(found) = take(&mut inner.state) {
            return Poll::Ready(found);
        }
        if !inner.waker.as_ref().is_some_and(|reader| reader.will_wake(context.waker())) {
            inner.waker = Some(context.waker().clone());
        }
        Poll::Pending
    }

    /// What is done under the lock is a few assignments each, which cannot stop half-way.
    fn lock_inner(&self) -> MutexGuard<'_, Inner<S>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::future::poll_fn;
    use std::pin::pin;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::task::{Context, Wake};

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn no_update_is_lost_between_two_threads() {
        let shared = Arc::new(WakeMutex::new(VecDeque::new()));
        let writer = tokio::spawn({
            let shared = Arc::clone(&shared);
            async move {
                for number in 0..10_000 {
                    shared.update(|queue| queue.push_back(number));
                    if number % 7 == 0 {
                        tokio::task::yield_now().await;
                    }
                }
            }
        });
        for number in 0..10_000 {
            assert_eq!(poll_fn(|context| shared.poll_next(context, VecDeque::pop_front)).await, number);
        }
        writer.await.unwrap();
    }

    #[derive(Default)]
    struct Woken(AtomicBool);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    #[test]
    fn waiter_is_woken_by_update_and_not_by_with_lock() {
        let shared = WakeMutex::new(0);
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = Context::from_waker(&waker);
        let mut wait =
            pin!(poll_fn(|context| { shared.poll_next(context, |number| (*number > 1).then_some(*number)) }));
        assert!(wait.as_mut().poll(&mut context).is_pending());
        shared.with_lock(|number| *number += 1);
        assert!(!woken.0.load(Ordering::SeqCst));
        shared.update(|number| *number += 1);
        assert!(woken.0.load(Ordering::SeqCst));
        assert_eq!(wait.as_mut().poll(&mut context), Poll::Ready(2));
    }
}
