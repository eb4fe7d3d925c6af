//! `memstrata guard`.
