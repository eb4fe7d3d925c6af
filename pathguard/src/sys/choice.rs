//! Which backend works below a root.

/// How paths are resolved below a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// Linux `openat2`: the kernel resolves a whole relative path and refuses links, mounts and
    /// escapes on the way.
    OpenAt2,
    /// One `openat` with `O_NOFOLLOW` for each component: every Unix, and Linux where `openat2` is
    /// missing or blocked.
    Components,
    /// The `cap-std` crate, one component at a time: Windows.
    CapStd,
}

/// Which backend [`RootOptions`](crate::RootOptions) asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BackendChoice {
    /// The best one that works here. On Linux that is [`Backend::OpenAt2`] unless the first,
    /// harmless call of `openat2` fails with `ENOSYS` (a kernel before 5.6) or `EPERM` (a sandbox
    /// that does not know the call). A later `EPERM` is a real refusal.
    #[default]
    Auto,
    /// This one or none; for tests and comparisons. Opening a root fails with
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) where it does not exist.
    Forced(Backend),
    /// As [`BackendChoice::Auto`], but as if the first `openat2` had failed in this way: the test
    /// switch for kernels and sandboxes that the test machine does not have.
    #[doc(hidden)]
    AutoWithFault(Fault),
}

/// A pretended failure of `openat2`.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// `ENOSYS`: the kernel does not have the call.
    Missing,
    /// `EPERM`: a sandbox refuses it.
    Blocked,
}

impl BackendChoice {
    /// Decides, given what the first call of `openat2` says. `None`: not available here.
    pub(crate) fn decide(self, probe: impl FnOnce(Option<Fault>) -> Probe) -> Option<Backend> {
        let choose = |outcome| match outcome {
            Probe::Works => Backend::OpenAt2,
            Probe::Unusable if cfg!(unix) => Backend::Components,
            Probe::Unusable => Backend::CapStd,
        };
        match self {
            Self::Auto => Some(choose(probe(None))),
            Self::AutoWithFault(fault) => Some(choose(probe(Some(fault)))),
            Self::Forced(Backend::OpenAt2) => {
                (probe(None) == Probe::Works).then_some(Backend::OpenAt2)
            }
            Self::Forced(Backend::Components) => cfg!(unix).then_some(Backend::Components),
            Self::Forced(Backend::CapStd) => cfg!(any(windows, test)).then_some(Backend::CapStd),
        }
    }
}

/// What the first, harmless call of `openat2` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probe {
    /// The call exists, whatever its result.
    Works,
    /// `ENOSYS` or `EPERM`, or another platform.
    Unusable,
}
