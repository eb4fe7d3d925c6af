//! What calls cost, per purpose and day, and when it is enough.

mod book;
mod budget;
mod day;
mod format;
mod metered;
mod price;
mod store;

pub use self::book::{DayBook, Purpose, Tally};
pub use self::budget::{Budget, Budgets};
pub use self::day::Day;
pub use self::metered::Metered;
pub use self::price::{Price, PriceTable};
pub use self::store::{FileStore, LedgerStore, MAX_DAY_BYTES, MemoryStore};

use std::fmt;
use std::io;

use self::budget::{Planned, decide};
use self::format::Entry;
use crate::error::{Error, ErrorKind};
use crate::reply::Usage;

/// Counts calls, tokens, cache hits and money, and refuses work over a daily budget.
///
/// A call is admitted before it is made, with an estimate, and settled afterwards with what it really
/// cost. Until then the estimate counts, so two calls at once cannot both take the last of the budget,
/// in one process or in several. A call that is never settled, because the process died or the future was
/// dropped, keeps its estimate booked for that day: the provider may well have charged for it.
///
/// ```
/// use agent_model::{Budget, Budgets, Day, ErrorKind, Ledger, MemoryStore, Price, PriceTable, Purpose, Usage};
///
/// // Prices in millionths of the currency per million tokens: 1.00 in, 5.00 out.
/// let prices = PriceTable::new().with("claude-haiku", Price::new(1_000_000, 5_000_000));
/// let budgets = Budgets::new(Budget::micros(10_000));
/// let ledger = Ledger::new(MemoryStore::default(), prices, budgets);
/// let day: Day = "2026-11-30".parse()?;
///
/// let ticket = ledger.admit(day, &Purpose::Extract, "claude-haiku-5-5", Usage::new(4_000, 1_000))?;
/// ledger.settle(ticket, Usage::new(3_900, 200))?;
/// let book = ledger.day(day)?;
/// assert_eq!(book.total().micros, 3_900 + 200 * 5);
///
/// let refused = ledger.admit(day, &Purpose::Dream, "claude-haiku-5-5", Usage::new(6_000, 0));
/// assert_eq!(refused.unwrap_err().kind(), ErrorKind::Budget);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Ledger {
    store: Box<dyn LedgerStore>,
    prices: PriceTable,
    budgets: Budgets,
}

/// An admitted call. Settle it; dropped, its estimate stays booked.
#[derive(Debug)]
#[must_use = "an admitted call that is not settled keeps its estimate booked"]
pub struct Ticket {
    day: Day,
    id: u64,
    purpose: Purpose,
    model: String,
}

impl Ledger {
    /// Returns a ledger over a store.
    pub fn new(store: impl LedgerStore + 'static, prices: PriceTable, budgets: Budgets) -> Self {
        Self {
            store: Box::new(store),
            prices,
            budgets,
        }
    }

    /// Admits a call that is about to be made, or refuses it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Budget`] when the day's budget, or that of the purpose, would be exceeded; also when
    /// money is limited and the model has no price. [`ErrorKind::Ledger`] when the store fails: what
    /// cannot be counted is not spent.
    pub fn admit(
        &self,
        day: Day,
        purpose: &Purpose,
        model: &str,
        estimate: Usage,
    ) -> Result<Ticket, Error> {
        let planned = Planned {
            usage: estimate,
            micros: self.prices.cost(model, estimate),
        };
        let mut outcome = Err(Error::new(ErrorKind::Ledger, "the store did not run"));
        let transacted = self.store.transact(day, &mut |bytes| {
            let book = DayBook::read(bytes);
            if let Err(refusal) = decide(&book, &self.budgets, purpose, planned) {
                outcome = Err(Error::new(ErrorKind::Budget, refusal));
                return Vec::new();
            }
            // Where the line starts is unique in a file that only grows.
            let id = bytes.len() as u64;
            outcome = Ok(Ticket {
                day,
                id,
                purpose: purpose.clone(),
                model: model.to_owned(),
            });
            format::line(bytes, &Entry::open(id, purpose, model, planned))
        });
        transacted.map_err(|error| store_failed(day, error))?;
        outcome
    }

    /// Books what an admitted call really cost.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Ledger`] when the store fails; the estimate then stays booked.
    pub fn settle(&self, ticket: Ticket, usage: Usage) -> Result<(), Error> {
        let micros = self.prices.cost(&ticket.model, usage);
        self.close(ticket, Planned { usage, micros }, false)
    }

    /// Books an admitted call that failed without costing anything.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Ledger`] when the store fails; the estimate then stays booked.
    pub fn fail(&self, ticket: Ticket) -> Result<(), Error> {
        let nothing = Planned {
            usage: Usage::default(),
            micros: Some(0),
        };
        self.close(ticket, nothing, true)
    }

    fn close(&self, ticket: Ticket, spent: Planned, failed: bool) -> Result<(), Error> {
        let Ticket {
            day,
            id,
            purpose,
            model,
        } = ticket;
        let entry = Entry::close(id, &purpose, &model, spent, failed);
        self.store
            .transact(day, &mut |bytes| format::line(bytes, &entry))
            .map_err(|error| store_failed(day, error))
    }

    /// Returns what is booked for a day.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Ledger`] when the store fails. Damaged lines are no error; they are counted in
    /// [`DayBook::damaged`].
    pub fn day(&self, day: Day) -> Result<DayBook, Error> {
        let bytes = self
            .store
            .read(day)
            .map_err(|error| store_failed(day, error))?;
        Ok(DayBook::read(&bytes))
    }

    /// Returns the days that have entries, oldest first.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Ledger`] when the store fails.
    pub fn days(&self) -> Result<Vec<Day>, Error> {
        self.store
            .days()
            .map_err(|error| Error::new(ErrorKind::Ledger, "").with_source(error))
    }

    /// Returns the budgets, for a report of what is left.
    pub fn budgets(&self) -> &Budgets {
        &self.budgets
    }
}

fn store_failed(day: Day, error: io::Error) -> Error {
    Error::new(ErrorKind::Ledger, format!("the entries of {day}")).with_source(error)
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger")
            .field("budgets", &self.budgets)
            .finish_non_exhaustive()
    }
}
