//! The real client against the real server over real sockets, with something in between.

mod base;
mod catalogue;
mod secrets;
mod tap;
mod wire_size;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pathguard::{MemoryRoot, RootOptions};
use team_sync::Error;
use team_sync::client::{
    Client, ClientOptions, HttpOptions, HttpTransport, SyncOptions, SyncReport, Token, Transport,
};
use tempfile::TempDir;

/// Somebody with a team folder and a state.
pub(crate) struct Home {
    folder: TempDir,
    name: String,
}

impl Home {
    pub(crate) fn new(name: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for part in ["team", "state"] {
            std::fs::create_dir(folder.path().join(part)).expect("a folder");
        }
        Self {
            folder,
            name: name.into(),
        }
    }

    pub(crate) fn client(&self, transport: Box<dyn Transport>) -> Client {
        // A name of an operation must not come twice.
        static SEED: AtomicU64 = AtomicU64::new(1);
        let root = |part: &str| {
            let path = self.folder.path().join(part);
            MemoryRoot::open(&path, &RootOptions::new()).expect("a root")
        };
        let random = || {
            let at = SEED.fetch_add(1, Ordering::Relaxed);
            at.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
        };
        let options = ClientOptions::new("acme/app", &self.name, random);
        Client::new(root("team"), root("state"), transport, options)
    }

    pub(crate) async fn sync(&self, address: SocketAddr, token: &str) -> Result<SyncReport, Error> {
        let client = self.client(Box::new(http(address, token)));
        client.sync(&SyncOptions::default()).await
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join("team").join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    pub(crate) fn remove(&self, name: &str) {
        std::fs::remove_file(self.folder.path().join("team").join(name)).expect("a file");
    }

    pub(crate) fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.path().join("team").join(name)).ok()
    }

    pub(crate) fn files(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        collect(&self.folder.path().join("team"), "", &mut files);
        files
    }
}

fn collect(folder: &Path, above: &str, files: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = format!("{above}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{name}/"), files);
        } else if !name.starts_with('.') {
            files.insert(name, std::fs::read_to_string(entry.path()).expect("a text"));
        }
    }
}

pub(crate) fn http(address: SocketAddr, token: &str) -> HttpTransport {
    let url = format!("http://{address}");
    let options = HttpOptions::new(&url, "acme/app", Token::new(token));
    HttpTransport::new(&options).expect("a transport")
}

/// What was done, as text.
pub(crate) fn done(report: &SyncReport) -> Vec<String> {
    let done = report.done.iter();
    done.map(|(key, done)| format!("{key} {}", done.as_str()))
        .collect()
}

/// A shared list of strings that a test looks at afterwards.
pub(crate) type Log<T> = Arc<std::sync::Mutex<Vec<T>>>;
