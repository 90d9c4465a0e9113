//! The way back from the writer's thread. To wake a task from another thread costs a system call, and a commit
//! answers many: the writer wakes one of them, and whoever is polled next wakes the others, from within.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::log::LogError;

/// Those who have their answer and were not woken yet. Should the one who was woken neither be polled nor dropped,
/// whoever asks or is answered next does it, or the writer when it has nothing to do.
#[derive(Debug, Default)]
pub(super) struct Sleepers(Mutex<Vec<Waker>>);

impl Sleepers {
    /// Wakes one of those who have their answers by this, who will wake the others. The last is answered when the others
    /// are known, or who has that answer could be gone with it, and nobody awake.
    pub(super) fn wake_in_turn(&self, others: impl Iterator<Item = Asker>, last: impl FnOnce() -> Asker) {
        let asleep = |asker| if let Asker::Asleep(waker) = asker { Some(waker) } else { None };
        let others: Vec<Waker> = others.filter_map(asleep).collect();
        // They go behind those of whom one was woken a moment ago: woken from here, they would come after all whom
        // others wake.
        if !others.is_empty() {
            lock(&self.0).extend(others);
        }
        match last() {
            Asker::Asleep(waker) => waker.wake(),
            Asker::Awake => {}
            Asker::Gone => self.wake_all(),
        }
    }

    /// Wakes all who are left.
    pub(super) fn wake_all(&self) {
        let these = std::mem::take(&mut *lock(&self.0));
        these.into_iter().for_each(Waker::wake);
    }
}

/// Nothing panics while the lock is held.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

enum State<T> {
    Asked(Option<Waker>),
    Answered(Result<T, LogError>),
    /// The answer was taken, or nobody looks for it.
    Over,
}

/// What becomes of who asked.
#[must_use = "who asked sleeps on"]
pub(super) enum Asker {
    /// It is to be woken.
    Asleep(Waker),
    /// It has asked, and is about to look for the answer, as all do who ask.
    Awake,
    /// It looks for no answer.
    Gone,
}

/// The writer's half. Dropped without an answer, nobody knows what became of the question.
pub(super) struct Answer<T>(Arc<Mutex<State<T>>>);

/// The half of who asked.
pub(super) struct Answered<T> {
    state: Arc<Mutex<State<T>>>,
    sleepers: Arc<Sleepers>,
}

pub(super) fn answer<T>(sleepers: &Arc<Sleepers>) -> (Answer<T>, Answered<T>) {
    let state = Arc::new(Mutex::new(State::Asked(None)));
    (Answer(Arc::clone(&state)), Answered { state, sleepers: Arc::clone(sleepers) })
}

impl<T> Answer<T> {
    /// Whether nobody waits for it.
    pub(super) fn is_closed(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// Gives it, and says whether anybody is to be woken for it.
    pub(super) fn give(self, result: Result<T, LogError>) -> Asker {
        self.put(result)
    }

    fn put(&self, result: Result<T, LogError>) -> Asker {
        let mut state = lock(&self.0);
        let State::Asked(waker) = &mut *state else { return Asker::Gone };
        let waker = waker.take();
        *state = State::Answered(result);
        waker.map_or(Asker::Awake, Asker::Asleep)
    }
}

impl<T> Drop for Answer<T> {
    fn drop(&mut self) {
        if let Asker::Asleep(waker) = self.put(Err(LogError::Unknown)) {
            waker.wake();
        }
    }
}

impl<T> fmt::Debug for Answer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answer")
    }
}

impl<T> Future for Answered<T> {
    type Output = Result<T, LogError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T, LogError>> {
        let answer = self.look(context);
        // Only now: who has the last answer of a commit finds all the others of it.
        self.sleepers.wake_all();
        answer
    }
}

impl<T> Answered<T> {
    fn look(&self, context: &mut Context<'_>) -> Poll<Result<T, LogError>> {
        let mut state = lock(&self.state);
        match std::mem::replace(&mut *state, State::Over) {
            State::Answered(result) => Poll::Ready(result),
            State::Asked(waker) => {
                // Mostly it is asked once, and by one task.
                let waker = waker.filter(|waker| waker.will_wake(context.waker()));
                *state = State::Asked(Some(waker.unwrap_or_else(|| context.waker().clone())));
                Poll::Pending
            }
            State::Over => Poll::Pending,
        }
    }
}

impl<T> Drop for Answered<T> {
    /// Who gave up may have been woken for the others, and is not any more.
    fn drop(&mut self) {
        // What it was is dropped without the lock.
        let before = std::mem::replace(&mut *lock(&self.state), State::Over);
        drop(before);
        self.sleepers.wake_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    /// How often a task was woken.
    #[derive(Default)]
    struct Woken(AtomicUsize);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A task that has asked, and waits.
    struct Task {
        woken: Arc<Woken>,
        answered: Answered<u8>,
    }

    impl Task {
        fn ask(sleepers: &Arc<Sleepers>) -> (Answer<u8>, Task) {
            let (answer, answered) = answer(sleepers);
            let mut task = Task { woken: Arc::default(), answered };
            assert_eq!(task.poll(), Poll::Pending);
            (answer, task)
        }

        fn poll(&mut self) -> Poll<Result<u8, LogError>> {
            let waker = Waker::from(Arc::clone(&self.woken));
            Pin::new(&mut self.answered).poll(&mut Context::from_waker(&waker))
        }

        fn woken(&self) -> usize {
            self.woken.0.load(Ordering::Relaxed)
        }
    }

    /// Answers all of these, as a commit does.
    fn commit(sleepers: &Sleepers, mut answers: Vec<Answer<u8>>) {
        let last = answers.pop().unwrap();
        sleepers.wake_in_turn(answers.into_iter().map(|answer| answer.give(Ok(7))), || last.give(Ok(7)));
    }

    /// So many who were answered by one commit, of whom one is awake: the last.
    fn answered(sleepers: &Arc<Sleepers>, many: usize) -> Vec<Task> {
        let (answers, tasks): (Vec<_>, Vec<_>) = (0..many).map(|_| Task::ask(sleepers)).unzip();
        commit(sleepers, answers);
        let woken: Vec<_> = tasks.iter().map(Task::woken).collect();
        assert_eq!(woken.iter().sum::<usize>(), 1, "{woken:?}");
        assert_eq!(woken.last(), Some(&1));
        tasks
    }

    #[test]
    fn who_is_woken_wakes_the_rest() {
        let sleepers = Arc::default();
        let mut tasks = answered(&sleepers, 5);
        assert_eq!(tasks[4].poll(), Poll::Ready(Ok(7)));
        for task in &mut tasks[..4] {
            assert_eq!((task.woken(), task.poll()), (1, Poll::Ready(Ok(7))));
        }
        let mut tasks = answered(&sleepers, 3);
        drop(tasks.pop());
        assert!(tasks.iter().all(|task| task.woken() == 1), "who gives up wakes them as well");
    }

    #[test]
    fn nobody_sleeps_on_where_the_last_was_not_asleep() {
        let sleepers = Arc::default();
        let asked = |many| -> (Vec<_>, Vec<_>) { (0..many).map(|_| Task::ask(&sleepers)).unzip() };
        let slept = |tasks: &[Task]| tasks.iter().all(|task| task.woken() == 0);
        let woken = |tasks: &[Task]| tasks.iter().all(|task| task.woken() == 1);
        // It is polled for something else just when it has its answer.
        let (mut answers, mut tasks) = asked(4);
        let (to_last, mut last) = (answers.pop().unwrap(), tasks.pop().unwrap());
        sleepers.wake_in_turn(answers.into_iter().map(|answer| answer.give(Ok(7))), || {
            let asker = to_last.give(Ok(7));
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
        let (answer, answered) = answer(&sleepers);
        answers.push(answer);
        commit(&sleepers, answers);
        assert!(slept(&tasks));
        let mut last = Task { woken: Arc::default(), answered };
        assert_eq!(last.poll(), Poll::Ready(Ok(7)));
        assert!(woken(&tasks));
    }

    /// Does this once it is woken.
    struct Does(Mutex<Option<Box<dyn FnOnce() + Send>>>);

    impl Wake for Does {
        fn wake(self: Arc<Self>) {
            lock(&self.0).take().into_iter().for_each(|act| act());
        }
    }

    #[test]
    fn nobody_sleeps_on_where_the_last_looks_while_it_is_answered() {
        let sleepers = Arc::default();
        let (mut answers, tasks): (Vec<_>, Vec<_>) = (0..3).map(|_| Task::ask(&sleepers)).unzip();
        let (answer, answered) = answer(&sleepers);
        answers.push(answer);
        // The commit ends while the last, who has not looked yet, wakes others.
        let ends = {
            let sleepers: Arc<Sleepers> = Arc::clone(&sleepers);
            move || commit(&sleepers, answers)
        };
        lock(&sleepers.0).push(Waker::from(Arc::new(Does(Mutex::new(Some(Box::new(ends)))))));
        let mut last = Task { woken: Arc::default(), answered };
        if last.poll().is_pending() {
            assert_eq!((last.woken(), last.poll()), (1, Poll::Ready(Ok(7))));
        }
        assert!(tasks.iter().all(|task| task.woken() == 1));
    }

    #[test]
    fn who_was_forgotten_is_woken_for_another() {
        let sleepers = Arc::default();
        let mut tasks = answered(&sleepers, 4);
        let forgetful = tasks.pop();
        let (_answer, _asks) = Task::ask(&sleepers);
        assert!(tasks.iter().all(|task| task.woken() == 1));
        let tasks = answered(&sleepers, 2);
        sleepers.wake_all();
        assert_eq!(tasks[0].woken(), 1);
        drop(forgetful);
    }

    #[test]
    fn without_an_answer_nobody_knows() {
        let sleepers = Arc::default();
        let (answer, mut task) = Task::ask(&sleepers);
        assert!(!answer.is_closed());
        drop(answer);
        assert_eq!((task.woken(), task.poll()), (1, Poll::Ready(Err(LogError::Unknown))));
        let (answer, task) = Task::ask(&sleepers);
        drop(task);
        assert!(answer.is_closed() && matches!(answer.give(Ok(1)), Asker::Gone));
        // The answer may be there before anybody waits.
        let (answer, answered) = super::answer(&sleepers);
        assert!(matches!(answer.give(Ok(2)), Asker::Awake));
        let mut task = Task { woken: Arc::default(), answered };
        assert_eq!(task.poll(), Poll::Ready(Ok(2)));
    }
}
