//! One binary; its modules mirror `src`.
