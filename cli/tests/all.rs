//! The program, tested as a program: real process, temporary home, real files.

mod harness;
mod schema;

mod common_rules;
mod cost;
mod doctor;
mod dream;
mod errors;
mod extract;
mod guard;
mod hook;
mod mcp;
mod memory;
mod memory_schemas;
mod memory_tool;
mod memory_words;
mod models;
mod plugin;
mod recall;
mod reference;
mod replay;
mod scan;
mod session;
mod setup;
mod team;
mod team_example;
mod team_server;
