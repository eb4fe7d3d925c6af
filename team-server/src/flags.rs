//! The limits as flags of `serve`.

use clap::Args;
use memstrata_server::Limits;

/// What one repository and one token may use.
#[derive(Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitFlags {
    /// The most entries of a repository [default: 500]
    #[arg(long, env = "MEMSTRATA_SERVER_MAX_ENTRIES", value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    max_entries: Option<u32>,
    /// The most bytes of all entries of a repository together [default: 16000000]
    #[arg(
        long,
        env = "MEMSTRATA_SERVER_MAX_REPOSITORY_BYTES",
        value_name = "BYTES",
        value_parser = clap::value_parser!(u64).range(1..=1_000_000_000)
    )]
    max_repository_bytes: Option<u64>,
    /// Writes of one token a minute; more are told to wait [default: 60]
    #[arg(long, env = "MEMSTRATA_SERVER_WRITES_PER_MINUTE", value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    writes_per_minute: Option<u32>,
    /// Reads of one token a minute; more are told to wait [default: 600]
    #[arg(long, env = "MEMSTRATA_SERVER_READS_PER_MINUTE", value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    reads_per_minute: Option<u32>,
}

impl LimitFlags {
    /// The defaults, with what was set.
    pub(crate) fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        if let Some(entries) = self.max_entries {
            limits.entries = entries as usize;
        }
        limits.repository_bytes = self.max_repository_bytes.unwrap_or(limits.repository_bytes);
        limits.writes_per_minute = self.writes_per_minute.unwrap_or(limits.writes_per_minute);
        limits.reads_per_minute = self.reads_per_minute.unwrap_or(limits.reads_per_minute);
        limits
    }
}
