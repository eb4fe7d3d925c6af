//! Reads the session files that existing agents write, into conversation types.
