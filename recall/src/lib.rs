//! Picks the few memories that matter for a query, says how fresh they are, and checks what they claim.
mod index;
mod rank;
mod text;
