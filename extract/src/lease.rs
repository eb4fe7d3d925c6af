//! One run per memory folder, across processes.
//!
//! A lease is a record with an owner, a heartbeat and an expiry, read and changed under a lock that is
//! held for a moment only. A process that dies leaves a record that expires; one that hangs and wakes
//! up finds that its number is no longer the current one, and may not write. An operating-system lock
//! for the whole run would end with the process too, but could not be taken from one that hangs.

use std::sync::Arc;
use std::time::Duration;

use memdir::{Store, Timestamp};
use pathguard::{LockWait, MemoryRoot, PathKeyRef, SyncPolicy, WriteOptions};
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};

/// How long a lease holds without a heartbeat, unless options say otherwise.
pub const LEASE_TIME: Duration = Duration::from_secs(60);

const FILE: &str = "lease.json";
const LOCK: &str = "lease.lock";
const VERSION: u32 = 1;
const MAX_BYTES: u64 = 16 << 10;

/// Who holds a lease, or held it last.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeaseState {
    /// The process, as it names itself.
    pub owner: String,
    /// The session it works for.
    pub session: String,
    /// Counts the leases of this folder; a later one is in force.
    pub number: u64,
    /// When it was last confirmed.
    pub heartbeat: Timestamp,
    /// When it ends unless it is confirmed again.
    pub expires: Timestamp,
    /// Whether it was given back.
    pub is_released: bool,
}

impl LeaseState {
    /// Reads the stored form; `None` for anything else. Any bytes are fine.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let form: Form = serde_json::from_slice(bytes).ok()?;
        (form.v == VERSION).then_some(())?;
        Some(Self {
            owner: form.owner,
            session: form.session,
            number: form.number,
            heartbeat: form.heartbeat.parse().ok()?,
            expires: form.expires.parse().ok()?,
            is_released: form.released,
        })
    }

    /// Returns the form to store: one JSON object.
    pub fn to_bytes(&self) -> Vec<u8> {
        let form = Form {
            v: VERSION,
            owner: self.owner.clone(),
            session: self.session.clone(),
            number: self.number,
            heartbeat: self.heartbeat.to_string(),
            expires: self.expires.to_string(),
            released: self.is_released,
        };
        // Texts and numbers always serialise; an empty form would read back as none.
        serde_json::to_vec(&form).unwrap_or_default()
    }

    /// Whether it is in force. One from the future is not: the clock was set back, and waiting for it
    /// could take years.
    pub fn is_held(&self, now: Timestamp) -> bool {
        !self.is_released && now < self.expires && self.heartbeat <= now.plus_seconds(1)
    }
}

#[derive(Serialize, Deserialize)]
struct Form {
    v: u32,
    owner: String,
    session: String,
    number: u64,
    heartbeat: String,
    expires: String,
    released: bool,
}

/// The right to extract into a memory folder or to distil it, given back when it is dropped.
#[derive(Debug)]
pub struct Lease {
    store: Arc<Store>,
    owner: String,
    session: String,
    number: u64,
    time: Duration,
}

impl Lease {
    /// Takes the lease of a store's folder, unless somebody else holds it.
    ///
    /// `owner` names the process, for people who look; it need not be unique.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`] when it is held, with the owner's name; [`ErrorKind::State`] and
    /// [`ErrorKind::Memory`] when the state folder cannot be used.
    pub fn acquire(
        store: &Arc<Store>,
        owner: &str,
        session: &str,
        time: Duration,
    ) -> Result<Self, Error> {
        let root = store.state_root()?;
        let now = store.options().clock().now();
        let number = locked(root, || {
            let current = read(root)?;
            if let Some(held) = current.as_ref().filter(|held| held.is_held(now)) {
                let message = format!("{} is at work here already", shown(&held.owner));
                return Err(Error::new(ErrorKind::Busy, message));
            }
            let number = current.map_or(0, |last| last.number).saturating_add(1);
            let state = LeaseState {
                owner: owner.to_owned(),
                session: session.to_owned(),
                number,
                heartbeat: now,
                expires: after(now, time),
                is_released: false,
            };
            write(root, &state)?;
            Ok(number)
        })?;
        tracing::debug!(number, "extract.lease.acquired");
        Ok(Self {
            store: Arc::clone(store),
            owner: owner.to_owned(),
            session: session.to_owned(),
            number,
            time,
        })
    }

    /// Returns who holds the lease of a folder or held it last.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::State`] and [`ErrorKind::Memory`] when the state folder cannot be used.
    pub fn current(store: &Store) -> Result<Option<LeaseState>, Error> {
        read(store.state_root()?)
    }

    /// Confirms the lease for another while.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::LeaseLost`] when it expired and somebody else took it; [`ErrorKind::State`] when
    /// the state folder cannot be used.
    pub fn renew(&self) -> Result<(), Error> {
        let root = self.store.state_root()?;
        locked(root, || {
            let mut state = self.own(read(root)?)?;
            let now = self.store.options().clock().now();
            state.heartbeat = now;
            state.expires = after(now, self.time);
            write(root, &state)
        })
    }

    /// Makes sure that the lease is still this one. Asked before each write.
    ///
    /// # Errors
    ///
    /// As [`Lease::renew`].
    pub fn check(&self) -> Result<(), Error> {
        self.own(read(self.store.state_root()?)?).map(drop)
    }

    /// A lease that has run out and that nobody took is still ours: the number says so.
    fn own(&self, current: Option<LeaseState>) -> Result<LeaseState, Error> {
        let is_ours = |state: &LeaseState| {
            state.number == self.number && state.owner == self.owner && !state.is_released
        };
        current
            .filter(is_ours)
            .ok_or_else(|| Error::new(ErrorKind::LeaseLost, "the lease was lost to another run"))
    }

    fn release(&self) -> Result<(), Error> {
        let root = self.store.state_root()?;
        locked(root, || {
            let mut state = self.own(read(root)?)?;
            state.is_released = true;
            write(root, &state)
        })
    }

    /// How often a heartbeat is due.
    pub(crate) fn beat(&self) -> Duration {
        self.time / 3
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Err(error) = self.release() {
            // It expires by itself.
            tracing::debug!(%error, session = self.session, "extract.lease.not_released");
        }
    }
}

fn after(now: Timestamp, time: Duration) -> Timestamp {
    let nanoseconds = i128::try_from(time.as_nanos()).unwrap_or(i128::MAX);
    Timestamp::from_nanoseconds(now.nanoseconds().saturating_add(nanoseconds))
}

fn locked<T>(root: &MemoryRoot, body: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let wait = LockWait::new(500, Duration::from_millis(2));
    let _lock = root.lock(key(LOCK), &wait).map_err(failed)?;
    body()
}

/// A damaged record counts as none, as does one that is larger than ours ever are.
fn read(root: &MemoryRoot) -> Result<Option<LeaseState>, Error> {
    use pathguard::ErrorKind as Kind;
    match root.read(key(FILE), MAX_BYTES) {
        Ok(read) => Ok(LeaseState::from_bytes(&read.bytes)),
        Err(error) if matches!(error.kind(), Kind::NotFound | Kind::TooLarge) => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

/// Not synced: after a crash of the machine nobody holds anything.
fn write(root: &MemoryRoot, state: &LeaseState) -> Result<(), Error> {
    let options = WriteOptions::new().with_sync(SyncPolicy::None);
    let written = root.write(key(FILE), &state.to_bytes(), &options);
    written.map(drop).map_err(failed)
}

fn key(name: &'static str) -> PathKeyRef<'static> {
    PathKeyRef::parse(name).expect("a legal key because the name is a constant")
}

fn failed(error: pathguard::Error) -> Error {
    Error::state("lease", error)
}

/// The owner's name comes from a file.
fn shown(owner: &str) -> String {
    let plain: String = owner
        .chars()
        .filter(|character| !character.is_control())
        .take(80)
        .collect();
    format!("`{plain}`")
}
