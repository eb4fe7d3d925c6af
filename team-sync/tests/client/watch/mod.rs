//! The watcher: its schedule as a pure machine, its loop in paused time, and real files with the real file
//! events of the system.

mod files;
mod room;
mod schedule;
mod timing;
