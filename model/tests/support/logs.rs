//! Collects everything that is logged, through `tracing` and through `log`, at every level.

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex, OnceLock};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// What was logged while a closure ran.
#[derive(Clone, Default)]
pub(crate) struct Logs(Arc<Mutex<String>>);

impl Logs {
    /// Runs a closure and returns its result with all log lines of this thread, and of `log` from any.
    pub(crate) fn of<T>(work: impl FnOnce() -> T) -> (T, String) {
        let logs = Self::default();
        let result = tracing::subscriber::with_default(logs.clone(), work);
        let mut text = logs.0.lock().unwrap().clone();
        text.push_str(&global().0.lock().unwrap());
        (result, text)
    }
}

/// `log` has one logger per process, so tests share it: it only ever grows, which suits a search for
/// something that must not be there.
fn global() -> &'static Logs {
    static GLOBAL: OnceLock<Logs> = OnceLock::new();
    GLOBAL.get_or_init(Logs::default)
}

/// Starts collecting from `log`. Call before the work begins.
pub(crate) fn collect_log_crate() {
    static SET: OnceLock<()> = OnceLock::new();
    SET.get_or_init(|| {
        log::set_boxed_logger(Box::new(global().clone())).unwrap();
        log::set_max_level(log::LevelFilter::Trace);
    });
}

impl log::Log for Logs {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }
    fn log(&self, record: &log::Record<'_>) {
        let _ = writeln!(
            self.0.lock().unwrap(),
            "log {} {}",
            record.target(),
            record.args()
        );
    }
    fn flush(&self) {}
}

impl Visit for Logs {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = writeln!(self.0.lock().unwrap(), "{}={value:?}", field.name());
    }
}

impl Subscriber for Logs {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        attributes.record(&mut self.clone());
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut self.clone());
    }
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}
