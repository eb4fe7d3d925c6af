//! `memstrata mcp`, driven over its standard input and output: by hand-written messages, and by an independent
//! client.

mod client;
mod handshakes;
mod hostile;
mod sdk;
mod tools;
