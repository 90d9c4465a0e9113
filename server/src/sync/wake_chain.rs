//! The way back from the writer's thread. To wake a task from another thread costs a system call, and a commit
//! answers many: the writer wakes one of them, and whoever is polled next wakes the others, from within.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::store::LogError;

/// Those who have their answer and were not woken yet. Should the one who was woken neither be polled nor dropped,
/// whoever asks or is answered next does it, or the writer when it has nothing to do.
#[derive(Debug, Default)]
pub(crate) struct WakeChain(Mutex<Vec<Waker>>);

impl WakeChain {
    /// Wakes one of those who have their answers by this, who will wake the others. The last is answered when the others
    /// are known, or who has that answer could be gone with it, and nobody awake.
    pub(crate) fn wake_chained(
        &self,
        others: impl Iterator<Item = PendingWake>,
        last: impl FnOnce() -> PendingWake,
    ) {
        let into_waker = |pending| if let PendingWake::Asleep(waker) = pending { Some(waker) } else { None };
        let others: Vec<Waker> = others.filter_map(into_waker).collect();
        // They go behind those of whom one was woken a moment ago: woken from here, they would come after all whom
        // others wake.
        if !others.is_empty() {
            lock(&self.0).extend(others);
        }
        match last() {
            PendingWake::Asleep(waker) => waker.wake(),
            PendingWake::Awake => {}
            PendingWake::Dropped => self.wake_all(),
        }
    }

    /// Wakes all who are left.
    pub(crate) fn wake_all(&self) {
        let wakers = std::mem::take(&mut *lock(&self.0));
        wakers.into_iter().for_each(Waker::wake);
    }
}

/// Nothing panics while the lock is held.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

enum ReplyState<T> {
    Pending(Option<Waker>),
    Sent(Result<T, LogError>),
    /// The answer was taken, or nobody looks for it.
    Closed,
}

/// What becomes of who asked.
#[must_use = "who asked sleeps on"]
pub(crate) enum PendingWake {
    /// It is to be woken.
    Asleep(Waker),
    /// It has asked, and is about to look for the answer, as all do who ask.
    Awake,
    /// It looks for no answer.
    Dropped,
}

/// The writer's half. Dropped without an answer, nobody knows what became of the question.
pub(crate) struct ReplySender<T>(Arc<Mutex<ReplyState<T>>>);

/// The half of who asked.
pub(crate) struct ReplyFuture<T> {
    state: Arc<Mutex<ReplyState<T>>>,
    wake_chain: Arc<WakeChain>,
}

pub(crate) fn reply_channel<T>(wake_chain: &Arc<WakeChain>) -> (ReplySender<T>, ReplyFuture<T>) {
    let state = Arc::new(Mutex::new(ReplyState::Pending(None)));
    (ReplySender(Arc::clone(&state)), ReplyFuture { state, wake_chain: Arc::clone(wake_chain) })
}

impl<T> ReplySender<T> {
    /// Whether nobody waits for it.
    pub(crate) fn is_closed(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// Gives it, and says whether anybody is to be woken for it.
    pub(crate) fn send(self, result: Result<T, LogError>) -> PendingWake {
        self.store(result)
    }

    fn store(&self, result: Result<T, LogError>) -> PendingWake {
        let mut state = lock(&self.0);
        let ReplyState::Pending(waker) = &mut *state else { return PendingWake::Dropped };
        let waker = waker.take();
        *state = ReplyState::Sent(result);
        waker.map_or(PendingWake::Awake, PendingWake::Asleep)
    }
}

impl<T> Drop for ReplySender<T> {
    fn drop(&mut self) {
        if let PendingWake::Asleep(waker) = self.store(Err(LogError::Unknown)) {
            waker.wake();
        }
    }
}

impl<T> fmt::Debug for ReplySender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answer")
    }
}

impl<T> Future for ReplyFuture<T> {
    type Output = Result<T, LogError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T, LogError>> {
        let result = self.poll_reply(context);
        // Only now: who has the last answer of a commit finds all the others of it.
        self.wake_chain.wake_all();
        result
    }
}

impl<T> ReplyFuture<T> {
    fn poll_reply(&self, context: &mut Context<'_>) -> Poll<Result<T, LogError>> {
        let mut state = lock(&self.state);
        match std::mem::replace(&mut *state, ReplyState::Closed) {
            ReplyState::Sent(result) => Poll::Ready(result),
            ReplyState::Pending(waker) => {
                // Mostly it is asked once, and by one task.
                let waker = waker.filter(|waker| waker.will_wake(context.waker()));
                *state = ReplyState::Pending(Some(waker.unwrap_or_else(|| context.waker().clone())));
                Poll::Pending
            }
            ReplyState::Closed => Poll::Pending,
        }
    }
}

impl<T> Drop for ReplyFuture<T> {
    /// Who gave up may have been woken for the others, and is not any more.
    fn drop(&mut self) {
        // What it was is dropped without the lock.
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

    /// How often a task was woken.
    #[derive(Default)]
    struct WakeCount(AtomicUsize);

    impl Wake for WakeCount {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A task that has asked, and waits.
    struct WaitingTask {
        wake_count: Arc<WakeCount>,
        reply_future: ReplyFuture<u8>,
    }

    impl WaitingTask {
        fn send_request(sleepers: &Arc<WakeChain>) -> (ReplySender<u8>, WaitingTask) {
            let (answer, answered) = reply_channel(sleepers);
            let mut task = WaitingTask { wake_count: Arc::default(), reply_future: answered };
            assert_eq!(task.poll(), Poll::Pending);
            (answer, task)
        }

        fn poll(&mut self) -> Poll<Result<u8, LogError>> {
            let waker = Waker::from(Arc::clone(&self.wake_count));
            Pin::new(&mut self.reply_future).poll(&mut Context::from_waker(&waker))
        }

        fn wake_count(&self) -> usize {
            self.wake_count.0.load(Ordering::Relaxed)
        }
    }

    /// Answers all of these, as a commit does.
    fn commit(sleepers: &WakeChain, mut answers: Vec<ReplySender<u8>>) {
        let last = answers.pop().unwrap();
        sleepers.wake_chained(answers.into_iter().map(|answer| answer.send(Ok(7))), || last.send(Ok(7)));
    }

    /// So many who were answered by one commit, of whom one is awake: the last.
    fn tasks_after_commit(sleepers: &Arc<WakeChain>, many: usize) -> Vec<WaitingTask> {
        let (answers, tasks): (Vec<_>, Vec<_>) =
            (0..many).map(|_| WaitingTask::send_request(sleepers)).unzip();
        commit(sleepers, answers);
        let woken: Vec<_> = tasks.iter().map(WaitingTask::wake_count).collect();
        assert_eq!(woken.iter().sum::<usize>(), 1, "{woken:?}");
        assert_eq!(woken.last(), Some(&1));
        tasks
    }

    #[test]
    fn the_woken_task_wakes_the_others() {
        let sleepers = Arc::default();
        let mut tasks = tasks_after_commit(&sleepers, 5);
        assert_eq!(tasks[4].poll(), Poll::Ready(Ok(7)));
        for task in &mut tasks[..4] {
            assert_eq!((task.wake_count(), task.poll()), (1, Poll::Ready(Ok(7))));
        }
        let mut tasks = tasks_after_commit(&sleepers, 3);
        drop(tasks.pop());
        assert!(tasks.iter().all(|task| task.wake_count() == 1), "who gives up wakes them as well");
    }

    #[test]
    fn every_task_is_woken_when_the_last_one_was_not_waiting() {
        let sleepers = Arc::default();
        let asked =
            |many| -> (Vec<_>, Vec<_>) { (0..many).map(|_| WaitingTask::send_request(&sleepers)).unzip() };
        let slept = |tasks: &[WaitingTask]| tasks.iter().all(|task| task.wake_count() == 0);
        let woken = |tasks: &[WaitingTask]| tasks.iter().all(|task| task.wake_count() == 1);
        // It is polled for something else just when it has its answer.
        let (mut answers, mut tasks) = asked(4);
        let (to_last, mut last) = (answers.pop().unwrap(), tasks.pop().unwrap());
        sleepers.wake_chained(answers.into_iter().map(|answer| answer.send(Ok(7))), || {
            let asker = to_last.send(Ok(7));
            assert_eq!(last.poll(), Poll::Ready(Ok(7)));
            asker
        });
        assert!(woken(&tasks));
        // It has given up.
        let (answers, mut tasks) = asked(4);
        tasks.pop();
        commit(&sleepers, answers);
        assert!(woken(&tasks));
        // It has not looked for its answer yet.
        let (mut answers, tasks) = asked(4);
        let (answer, answered) = reply_channel(&sleepers);
        answers.push(answer);
        commit(&sleepers, answers);
        assert!(slept(&tasks));
        let mut last = WaitingTask { wake_count: Arc::default(), reply_future: answered };
        assert_eq!(last.poll(), Poll::Ready(Ok(7)));
        assert!(woken(&tasks));
    }

    /// Does this once it is woken.
    struct RunOnWake(Mutex<Option<Box<dyn FnOnce() + Send>>>);

    impl Wake for RunOnWake {
        fn wake(self: Arc<Self>) {
            lock(&self.0).take().into_iter().for_each(|act| act());
        }
    }

    #[test]
    fn every_task_is_woken_when_the_last_one_polls_during_its_reply() {
        let sleepers = Arc::default();
        let (mut answers, tasks): (Vec<_>, Vec<_>) =
            (0..3).map(|_| WaitingTask::send_request(&sleepers)).unzip();
        let (answer, answered) = reply_channel(&sleepers);
        answers.push(answer);
        // The commit ends while the last, who has not looked yet, wakes others.
        let ends = {
            let sleepers: Arc<WakeChain> = Arc::clone(&sleepers);
            move || commit(&sleepers, answers)
        };
        lock(&sleepers.0).push(Waker::from(Arc::new(RunOnWake(Mutex::new(Some(Box::new(ends)))))));
        let mut last = WaitingTask { wake_count: Arc::default(), reply_future: answered };
        if last.poll().is_pending() {
            assert_eq!((last.wake_count(), last.poll()), (1, Poll::Ready(Ok(7))));
        }
        assert!(tasks.iter().all(|task| task.wake_count() == 1));
    }

    #[test]
    fn tasks_of_a_stalled_chain_are_woken_by_the_next_one() {
        let sleepers = Arc::default();
        let mut tasks = tasks_after_commit(&sleepers, 4);
        let forgetful = tasks.pop();
        let (_answer, _asks) = WaitingTask::send_request(&sleepers);
        assert!(tasks.iter().all(|task| task.wake_count() == 1));
        let tasks = tasks_after_commit(&sleepers, 2);
        sleepers.wake_all();
        assert_eq!(tasks[0].wake_count(), 1);
        drop(forgetful);
    }

    #[test]
    fn a_dropped_sender_replies_unknown() {
        let sleepers = Arc::default();
        let (answer, mut task) = WaitingTask::send_request(&sleepers);
        assert!(!answer.is_closed());
        drop(answer);
        assert_eq!((task.wake_count(), task.poll()), (1, Poll::Ready(Err(LogError::Unknown))));
        let (answer, task) = WaitingTask::send_request(&sleepers);
        drop(task);
        assert!(answer.is_closed() && matches!(answer.send(Ok(1)), PendingWake::Dropped));
        // The answer may be there before anybody waits.
        let (answer, answered) = super::reply_channel(&sleepers);
        assert!(matches!(answer.send(Ok(2)), PendingWake::Awake));
        let mut task = WaitingTask { wake_count: Arc::default(), reply_future: answered };
        assert_eq!(task.poll(), Poll::Ready(Ok(2)));
    }
}
