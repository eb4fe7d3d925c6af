//! Where tokens come from, and that none of them is ever shown.

mod device;
mod local;
