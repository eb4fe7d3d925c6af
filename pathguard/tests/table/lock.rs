//! Locks.

use std::time::Duration;

use pathguard::{ErrorKind, LockWait};

use super::{check_kind, for_each_backend, key, names_in};

#[test]
fn a_lock_is_exclusive_until_it_is_dropped() {
    for_each_backend(|place| {
        let root = &place.root;
        let lock = root.lock(key("lock"), &LockWait::none()).unwrap();
        assert_eq!(lock.key().as_str(), "lock");
        check_kind(
            root.lock(key("lock"), &LockWait::none()),
            ErrorKind::Busy,
            "held",
        );
        let other = root.lock(key("other"), &LockWait::none()).unwrap();
        drop(lock);
        drop(root.lock(key("lock"), &LockWait::none()).unwrap());
        drop(other);
        assert_eq!(names_in(root.path()), ["lock", "other"]);
    });
}

#[test]
fn the_number_of_attempts_is_bounded() {
    for_each_backend(|place| {
        let held = place.root.lock(key("lock"), &LockWait::none()).unwrap();
        let wait = LockWait::new(3, Duration::from_millis(1));
        check_kind(
            place.root.lock(key("lock"), &wait),
            ErrorKind::Busy,
            "three times",
        );
        // No attempt would be a lock that is never free.
        drop(held);
        drop(
            place
                .root
                .lock(key("lock"), &LockWait::new(0, Duration::ZERO))
                .unwrap(),
        );
    });
    assert_eq!(LockWait::up_to(Duration::from_secs(1)).attempts, 51);
    assert_eq!(LockWait::up_to(Duration::ZERO).attempts, 1);
    assert_eq!(LockWait::up_to(Duration::MAX).attempts, u32::MAX);
}

#[test]
fn a_lock_counts_only_for_the_file_that_has_the_name_now() {
    for_each_backend(|place| {
        let held = place.root.lock(key("lock"), &LockWait::none()).unwrap();
        std::fs::remove_file(place.path("lock")).unwrap();
        // The held lock is on a file without a name; the next one is on a new file.
        let second = place.root.lock(key("lock"), &LockWait::none()).unwrap();
        check_kind(
            place.root.lock(key("lock"), &LockWait::none()),
            ErrorKind::Busy,
            "second",
        );
        drop((held, second));
    });
}

#[test]
fn a_waiting_thread_gets_the_lock_when_it_is_free() {
    for_each_backend(|place| {
        let counter = std::sync::atomic::AtomicU32::new(0);
        let wait = LockWait::new(100_000, Duration::from_micros(100));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        let lock = place.root.lock(key("lock"), &wait).unwrap();
                        // Not atomic on purpose: only the lock keeps the count right.
                        let seen = counter.load(std::sync::atomic::Ordering::Relaxed);
                        std::thread::yield_now();
                        counter.store(seen + 1, std::sync::atomic::Ordering::Relaxed);
                        drop(lock);
                    }
                });
            }
        });
        assert_eq!(counter.into_inner(), 100);
    });
}
