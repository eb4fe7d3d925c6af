//! Reproducible choices.

/// A 64-bit generator (Vigna's splitmix64), the same on every platform.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0..end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// `count` characters of an alphabet.
    pub(crate) fn string(&mut self, alphabet: &str, count: usize) -> String {
        let alphabet = alphabet.as_bytes();
        (0..count)
            .map(|_| char::from(self.pick(alphabet)))
            .collect()
    }

    pub(crate) fn hex(&mut self, count: usize) -> String {
        self.string("0123456789abcdef", count)
    }

    /// `count` bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }

    /// A word that names things in programs.
    pub(crate) fn noun(&mut self) -> &'static str {
        self.pick(&NOUNS)
    }

    pub(crate) fn verb(&mut self) -> &'static str {
        self.pick(&VERBS)
    }

    /// Several words with a separator.
    pub(crate) fn compound(&mut self, separator: &str) -> String {
        let verb = self.verb();
        let noun = self.noun();
        if self.chance(30) {
            format!("{verb}{separator}{noun}{separator}{}", self.noun())
        } else {
            format!("{verb}{separator}{noun}")
        }
    }

    pub(crate) fn timestamp(&mut self) -> String {
        format!(
            "2026-{:02}-{:02}T{:02}:{:02}:{:02}",
            1 + self.below(12),
            1 + self.below(28),
            self.below(24),
            self.below(60),
            self.below(60)
        )
    }
}

pub(crate) const NAMES: [&str; 20] = [
    "Amara",
    "Bogdan",
    "Chiara",
    "Dmitri",
    "Eun-ji",
    "Farid",
    "Greta",
    "Hiroshi",
    "Ines",
    "Jakub",
    "Katarzyna",
    "Liam",
    "Mehmet",
    "Ngozi",
    "Olivia",
    "Priya",
    "Quentin",
    "Rosa",
    "Sven",
    "Thandi",
];

pub(crate) const PLACES: [&str; 14] = [
    "Lisbon",
    "Osaka",
    "Nairobi",
    "Tallinn",
    "Montréal",
    "Valparaíso",
    "Ghent",
    "Kraków",
    "Perth",
    "Busan",
    "Tromsø",
    "Denver",
    "Jaipur",
    "Split",
];

const NOUNS: [&str; 60] = [
    "account", "address", "archive", "batch", "branch", "buffer", "cache", "channel", "client",
    "cluster", "column", "commit", "config", "cursor", "digest", "document", "element", "endpoint",
    "entry", "event", "export", "field", "filter", "folder", "frame", "handler", "header", "image",
    "index", "invoice", "key", "label", "ledger", "limit", "message", "metric", "node", "option",
    "order", "packet", "page", "parser", "payload", "project", "query", "queue", "record",
    "region", "report", "request", "schema", "session", "snapshot", "status", "stream", "table",
    "thread", "ticket", "timeout", "worker",
];

const VERBS: [&str; 28] = [
    "append", "build", "check", "close", "collect", "compare", "create", "decode", "delete",
    "encode", "fetch", "format", "get", "list", "load", "merge", "move", "open", "parse", "print",
    "read", "remove", "resolve", "retry", "save", "send", "sync", "update",
];
