//! The client, in one binary: against a server in memory, with faults in between.

#[path = "client/conflicts.rs"]
mod conflicts;
#[path = "client/faults.rs"]
mod faults;
#[path = "client/leftovers.rs"]
mod leftovers;
#[path = "client/past.rs"]
mod past;
#[path = "client/server.rs"]
mod server;
#[path = "client/simulation.rs"]
mod simulation;
#[path = "client/sync.rs"]
mod sync;
