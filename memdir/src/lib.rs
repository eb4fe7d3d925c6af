//! placeholder

pub use date::{DatePrecision, RelativeDate, find_relative_dates};
pub use format::{HEADER_BYTES, HEADER_LINES, MAX_FRONT_MATTER_BYTES};
pub use header::Header;
pub use index::{
    Budget, BudgetState, CompactionPlan, CompactionStep, Entry, EntryForm, INDEX_FILE, Index,
    IndexItem, IndexLimits, LoadedIndex, MAX_ENTRY_CHARS, NEAR_PERCENT, StepAction, Usage,
};
pub use memory::Memory;
pub use memory_type::MemoryType;
pub use name::{MAX_SLUG_BYTES, file_name};
pub use problem::{Problem, ProblemCode};
pub use timestamp::{Date, InvalidTime, Timestamp, Weekday};

mod date;
mod edit;
mod format;
mod header;
mod index;
mod labels;
mod markdown;
mod memory;
mod memory_type;
mod name;
mod problem;
mod text;
mod timestamp;
