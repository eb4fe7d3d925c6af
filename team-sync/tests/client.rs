//! The client, in one binary: against a server in memory, with faults in between.

#[path = "client/catalogue.rs"]
mod catalogue;
#[path = "client/conflicts.rs"]
mod conflicts;
#[path = "client/faults.rs"]
mod faults;
#[path = "client/full_disk.rs"]
mod full_disk;
#[path = "client/garbage.rs"]
mod garbage;
#[path = "client/hooked.rs"]
mod hooked;
#[path = "client/leftovers.rs"]
mod leftovers;
#[path = "client/names.rs"]
mod names;
#[path = "client/past.rs"]
mod past;
#[path = "client/plain.rs"]
mod plain;
#[path = "client/retry.rs"]
mod retry;
#[path = "client/secrets.rs"]
mod secrets;
#[path = "client/server.rs"]
mod server;
#[path = "client/simulation.rs"]
mod simulation;
#[path = "client/suppression.rs"]
mod suppression;
#[path = "client/sync.rs"]
mod sync;
#[path = "client/texts.rs"]
mod texts;
#[path = "client/token/mod.rs"]
mod token;
#[cfg(feature = "watch")]
#[path = "client/watch/mod.rs"]
mod watch;
