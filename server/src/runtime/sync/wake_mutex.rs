//! A monitor with one reader: a mutex and the waker of the task that waits for the guarded state.
//!
//! - Replaces: a bounded `tokio::sync::mpsc` channel plus a `Notify` for each room inbox and each send queue.
//! - Gain: 1.65 → 1.36 KB per room, together with direct writes of the [send queue](crate::send_queue), and one lock
//!   less per message. A channel preallocates slots, while a server has two queues per player that are nearly always
//!   empty; a separate signal in addition to the queue is a second lock and a second future to poll.
//! - Invariant: the reader stores its waker under the same lock under which it found nothing to take, so that every
//!   later [`WakeMutex::update`] finds the waker. The waker fires after the lock is released.
//! - Guarded by: `no_update_is_lost_between_two_threads` and `waiter_is_woken_by_update_and_not_by_with_lock`.

use std::sync::{Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use super::lock::lock;

/// A state shared by any number of writers and one reading task.
#[derive(Debug)]
pub(crate) struct WakeMutex<S>(Mutex<Inner<S>>);

#[derive(Debug)]
struct Inner<S> {
    state: S,
    waker: Option<Waker>,
}

impl<S> WakeMutex<S> {
    /// Guards `state`. No task waits for it yet.
    pub(crate) fn new(state: S) -> WakeMutex<S> {
        WakeMutex(Mutex::new(Inner { state, waker: None }))
    }

    /// Reads the state, or changes it in a way that the reader need not notice.
    pub(crate) fn with_lock<R>(&self, access: impl FnOnce(&mut S) -> R) -> R {
        access(&mut self.lock_inner().state)
    }

    /// Changes the state and wakes the reader.
    pub(crate) fn update<R>(&self, change: impl FnOnce(&mut S) -> R) -> R {
        self.update_if(|state| (change(state), true))
    }

    /// Changes the state and wakes the reader if `change` returns true in second place.
    pub(crate) fn update_if<R>(&self, change: impl FnOnce(&mut S) -> (R, bool)) -> R {
        let (result, waker) = {
            let mut inner = self.lock_inner();
            let (result, wake) = change(&mut inner.state);
            (result, if wake { inner.waker.take() } else { None })
        };
        // After the lock is released: the woken task takes it at once.
        if let Some(waker) = waker {
            waker.wake();
        }
        result
    }

    /// Returns what `take` finds in the state, or registers the current task for the next update.
    ///
    /// Only one task may poll: a second one would replace the waker of the first.
    pub(crate) fn poll_next<N>(
        &self,
        context: &mut Context<'_>,
        take: impl FnOnce(&mut S) -> Option<N>,
    ) -> Poll<N> {
        let mut inner = self.lock_inner();
        if let Some(found) = take(&mut inner.state) {
            return Poll::Ready(found);
        }
        if !inner
            .waker
            .as_ref()
            .is_some_and(|reader| reader.will_wake(context.waker()))
        {
            inner.waker = Some(context.waker().clone());
        }
        Poll::Pending
    }

    fn lock_inner(&self) -> MutexGuard<'_, Inner<S>> {
        lock(&self.0)
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
            assert_eq!(
                poll_fn(|context| shared.poll_next(context, VecDeque::pop_front)).await,
                number
            );
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
        let mut wait = pin!(poll_fn(|context| {
            shared.poll_next(context, |number| (*number > 1).then_some(*number))
        }));
        assert!(wait.as_mut().poll(&mut context).is_pending());
        shared.with_lock(|number| *number += 1);
        assert!(!woken.0.load(Ordering::SeqCst));
        shared.update(|number| *number += 1);
        assert!(woken.0.load(Ordering::SeqCst));
        assert_eq!(wait.as_mut().poll(&mut context), Poll::Ready(2));
    }
}
