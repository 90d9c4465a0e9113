//! Oneshot replies from a thread to tasks, with chained wake-ups: the thread wakes one task, which wakes the others.
//!
//! - Replaces: one `tokio::sync::oneshot` per request to the store.
//! - Gain: 9 % of the processor time per move of 500 pairs at 2 000 moves per second, 13 % with 50 pairs, with
//!   `--durability process` (2026-11-22; commands in `tests/RESULTS.md`, Hand-written mechanisms). Waking a task from
//!   another thread costs a system call, and one commit replies to many tasks; a wake-up inside the runtime costs none.
//! - Invariant: a task with a reply is woken or its waker is in the chain, and the chain is emptied when any reply future
//!   is polled or dropped, or when the thread calls [`WakeChain::wake_all`] before it waits.
//! - Guarded by: the tests of this module, above all `every_task_is_woken_when_the_last_one_was_not_waiting`.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use super::lock::lock;

/// Wakers of tasks that have a reply and are not woken yet.
///
/// If the woken task is neither polled nor dropped, the next poll of any reply future wakes the rest, or the thread
/// before it waits.
#[derive(Debug, Default)]
pub(crate) struct WakeChain(Mutex<Vec<Waker>>);

impl WakeChain {
    /// Wakes the task of `last`, which wakes the tasks of `others`. Calls `last` after the others are in the chain:
    /// otherwise its task could finish before, and no task would wake them.
    pub(crate) fn wake_chained(
        &self,
        others: impl Iterator<Item = PendingWake>,
        last: impl FnOnce() -> PendingWake,
    ) {
        let into_waker = |pending| {
            if let PendingWake::Asleep(waker) = pending {
                Some(waker)
            } else {
                None
            }
        };
        let others: Vec<Waker> = others.filter_map(into_waker).collect();
        // Behind the wakers of a chain that has just begun: woken from here, they would run after all others.
        if !others.is_empty() {
            lock(&self.0).extend(others);
        }
        match last() {
            PendingWake::Asleep(waker) => waker.wake(),
            PendingWake::Awake => {}
            PendingWake::Dropped => self.wake_all(),
        }
    }

    /// Wakes all tasks of the chain.
    pub(crate) fn wake_all(&self) {
        let wakers = std::mem::take(&mut *lock(&self.0));
        wakers.into_iter().for_each(Waker::wake);
    }
}

/// The sender was dropped without a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("reply sender dropped")]
pub(crate) struct SenderDropped;

enum ReplyState<T> {
    Pending(Option<Waker>),
    Sent(Result<T, SenderDropped>),
    /// The reply was taken, or its receiver dropped.
    Closed,
}

/// Wake-up that a reply requires.
#[must_use = "the receiver sleeps until it is woken"]
pub(crate) enum PendingWake {
    /// The receiver must be woken.
    Asleep(Waker),
    /// The receiver has not been polled yet, and will be.
    Awake,
    /// The receiver was dropped.
    Dropped,
}

/// Sending half. Dropping it without a reply sends [`SenderDropped`].
pub(crate) struct ReplySender<T>(Arc<Mutex<ReplyState<T>>>);

/// Receiving half. Must be polled or dropped before its task waits for anything else: other tasks depend on it.
pub(crate) struct ReplyFuture<T> {
    state: Arc<Mutex<ReplyState<T>>>,
    wake_chain: Arc<WakeChain>,
}

pub(crate) fn reply_channel<T>(wake_chain: &Arc<WakeChain>) -> (ReplySender<T>, ReplyFuture<T>) {
    let state = Arc::new(Mutex::new(ReplyState::Pending(None)));
    (
        ReplySender(Arc::clone(&state)),
        ReplyFuture {
            state,
            wake_chain: Arc::clone(wake_chain),
        },
    )
}

impl<T> ReplySender<T> {
    /// Returns whether the receiver was dropped.
    pub(crate) fn is_closed(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// Stores the reply and returns the required wake-up.
    pub(crate) fn send(self, reply: T) -> PendingWake {
        self.store(Ok(reply))
    }

    fn store(&self, result: Result<T, SenderDropped>) -> PendingWake {
        let mut state = lock(&self.0);
        let ReplyState::Pending(waker) = &mut *state else {
            return PendingWake::Dropped;
        };
        let waker = waker.take();
        *state = ReplyState::Sent(result);
        waker.map_or(PendingWake::Awake, PendingWake::Asleep)
    }
}

impl<T> Drop for ReplySender<T> {
    fn drop(&mut self) {
        if let PendingWake::Asleep(waker) = self.store(Err(SenderDropped)) {
            waker.wake();
        }
    }
}

impl<T> fmt::Debug for ReplySender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReplySender")
    }
}

impl<T> Future for ReplyFuture<T> {
    type Output = Result<T, SenderDropped>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T, SenderDropped>> {
        let result = self.poll_reply(context);
        // After the poll: the task with the last reply of a commit finds all others in the chain.
        self.wake_chain.wake_all();
        result
    }
}

impl<T> ReplyFuture<T> {
    fn poll_reply(&self, context: &mut Context<'_>) -> Poll<Result<T, SenderDropped>> {
        let mut state = lock(&self.state);
        match std::mem::replace(&mut *state, ReplyState::Closed) {
            ReplyState::Sent(result) => Poll::Ready(result),
            ReplyState::Pending(waker) => {
                // Usually polled once, by one task.
                let waker = waker.filter(|waker| waker.will_wake(context.waker()));
                *state =
                    ReplyState::Pending(Some(waker.unwrap_or_else(|| context.waker().clone())));
                Poll::Pending
            }
            ReplyState::Closed => Poll::Pending,
        }
    }
}

impl<T> Drop for ReplyFuture<T> {
    /// Wakes the chain: this task may have been the one woken for it.
    fn drop(&mut self) {
        // The previous state is dropped after the lock is released.
        let previous = std::mem::replace(&mut *lock(&self.state), ReplyState::Closed);
        drop(previous);
        self.wake_chain.wake_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    /// Counts the wake-ups of a task.
    #[derive(Default)]
    struct WakeCount(AtomicUsize);

    impl Wake for WakeCount {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A task that waits for a reply.
    struct WaitingTask {
        wake_count: Arc<WakeCount>,
        reply_future: ReplyFuture<u8>,
    }

    impl WaitingTask {
        fn send_request(chain: &Arc<WakeChain>) -> (ReplySender<u8>, WaitingTask) {
            let (sender, receiver) = reply_channel(chain);
            let mut task = WaitingTask {
                wake_count: Arc::default(),
                reply_future: receiver,
            };
            assert_eq!(task.poll(), Poll::Pending);
            (sender, task)
        }

        fn poll(&mut self) -> Poll<Result<u8, SenderDropped>> {
            let waker = Waker::from(Arc::clone(&self.wake_count));
            Pin::new(&mut self.reply_future).poll(&mut Context::from_waker(&waker))
        }

        fn wake_count(&self) -> usize {
            self.wake_count.0.load(Ordering::Relaxed)
        }
    }

    /// Replies to all, as a commit does.
    fn commit(chain: &WakeChain, mut senders: Vec<ReplySender<u8>>) {
        let last = senders.pop().unwrap();
        chain.wake_chained(senders.into_iter().map(|sender| sender.send(7)), || {
            last.send(7)
        });
    }

    /// Creates tasks with replies of one commit, of which only the last is woken.
    fn tasks_after_commit(chain: &Arc<WakeChain>, count: usize) -> Vec<WaitingTask> {
        let (senders, tasks): (Vec<_>, Vec<_>) =
            (0..count).map(|_| WaitingTask::send_request(chain)).unzip();
        commit(chain, senders);
        let woken: Vec<_> = tasks.iter().map(WaitingTask::wake_count).collect();
        assert_eq!(woken.iter().sum::<usize>(), 1, "{woken:?}");
        assert_eq!(woken.last(), Some(&1));
        tasks
    }

    #[test]
    fn the_woken_task_wakes_the_others() {
        let chain = Arc::default();
        let mut tasks = tasks_after_commit(&chain, 5);
        assert_eq!(tasks[4].poll(), Poll::Ready(Ok(7)));
        for task in &mut tasks[..4] {
            assert_eq!((task.wake_count(), task.poll()), (1, Poll::Ready(Ok(7))));
        }
        let mut tasks = tasks_after_commit(&chain, 3);
        drop(tasks.pop());
        assert!(
            tasks.iter().all(|task| task.wake_count() == 1),
            "a dropped task wakes the others as well"
        );
    }

    #[test]
    fn every_task_is_woken_when_the_last_one_was_not_waiting() {
        let chain = Arc::default();
        let waiting = |count| -> (Vec<_>, Vec<_>) {
            (0..count)
                .map(|_| WaitingTask::send_request(&chain))
                .unzip()
        };
        let asleep = |tasks: &[WaitingTask]| tasks.iter().all(|task| task.wake_count() == 0);
        let woken = |tasks: &[WaitingTask]| tasks.iter().all(|task| task.wake_count() == 1);
        // It is polled for another reason at the time of its reply.
        let (mut senders, mut tasks) = waiting(4);
        let (to_last, mut last) = (senders.pop().unwrap(), tasks.pop().unwrap());
        chain.wake_chained(senders.into_iter().map(|sender| sender.send(7)), || {
            let wake = to_last.send(7);
            assert_eq!(last.poll(), Poll::Ready(Ok(7)));
            wake
        });
        assert!(woken(&tasks));
        // It was dropped.
        let (senders, mut tasks) = waiting(4);
        tasks.pop();
        commit(&chain, senders);
        assert!(woken(&tasks));
        // It has not been polled yet.
        let (mut senders, tasks) = waiting(4);
        let (sender, receiver) = reply_channel(&chain);
        senders.push(sender);
        commit(&chain, senders);
        assert!(asleep(&tasks));
        let mut last = WaitingTask {
            wake_count: Arc::default(),
            reply_future: receiver,
        };
        assert_eq!(last.poll(), Poll::Ready(Ok(7)));
        assert!(woken(&tasks));
    }

    /// Runs a closure when it is woken.
    struct RunOnWake(Mutex<Option<Box<dyn FnOnce() + Send>>>);

    impl Wake for RunOnWake {
        fn wake(self: Arc<Self>) {
            lock(&self.0).take().into_iter().for_each(|act| act());
        }
    }

    #[test]
    fn every_task_is_woken_when_the_last_one_polls_during_its_reply() {
        let chain = Arc::default();
        let (mut senders, tasks): (Vec<_>, Vec<_>) =
            (0..3).map(|_| WaitingTask::send_request(&chain)).unzip();
        let (sender, receiver) = reply_channel(&chain);
        senders.push(sender);
        // The commit ends while the last task, not polled before, wakes others.
        let end_commit = {
            let chain: Arc<WakeChain> = Arc::clone(&chain);
            move || commit(&chain, senders)
        };
        lock(&chain.0).push(Waker::from(Arc::new(RunOnWake(Mutex::new(Some(
            Box::new(end_commit),
        ))))));
        let mut last = WaitingTask {
            wake_count: Arc::default(),
            reply_future: receiver,
        };
        if last.poll().is_pending() {
            assert_eq!((last.wake_count(), last.poll()), (1, Poll::Ready(Ok(7))));
        }
        assert!(tasks.iter().all(|task| task.wake_count() == 1));
    }

    #[test]
    fn tasks_of_a_stalled_chain_are_woken_by_the_next_one() {
        let chain = Arc::default();
        let mut tasks = tasks_after_commit(&chain, 4);
        let stalled = tasks.pop();
        let (_sender, _task) = WaitingTask::send_request(&chain);
        assert!(tasks.iter().all(|task| task.wake_count() == 1));
        let tasks = tasks_after_commit(&chain, 2);
        chain.wake_all();
        assert_eq!(tasks[0].wake_count(), 1);
        drop(stalled);
    }

    #[test]
    fn a_dropped_sender_is_reported() {
        let chain = Arc::default();
        let (sender, mut task) = WaitingTask::send_request(&chain);
        assert!(!sender.is_closed());
        drop(sender);
        assert_eq!(
            (task.wake_count(), task.poll()),
            (1, Poll::Ready(Err(SenderDropped)))
        );
        let (sender, task) = WaitingTask::send_request(&chain);
        drop(task);
        assert!(sender.is_closed() && matches!(sender.send(1), PendingWake::Dropped));
        // The reply may precede the first poll.
        let (sender, receiver) = super::reply_channel(&chain);
        assert!(matches!(sender.send(2), PendingWake::Awake));
        let mut task = WaitingTask {
            wake_count: Arc::default(),
            reply_future: receiver,
        };
        assert_eq!(task.poll(), Poll::Ready(Ok(2)));
    }
}
