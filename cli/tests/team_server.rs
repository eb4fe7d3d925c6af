//! The real team server on a real socket, in this process.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

use memstrata_server::{Limits, ServerOptions, Sqlite, SqliteOptions, Store, router};
use tempfile::TempDir;
use tokio::sync::watch;

/// The token that the server takes.
pub(crate) const TOKEN: &str = "for-tests";

/// A running server; it stops when this goes.
pub(crate) struct Server {
    pub(crate) url: String,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
    _data: TempDir,
}

impl Server {
    /// Starts one on a free port.
    pub(crate) fn start() -> Self {
        let data = TempDir::new().expect("a folder");
        let store = Sqlite::open(&SqliteOptions::new(data.path().to_owned())).expect("a store");
        let (stop, stopping) = watch::channel(false);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        let listener = runtime
            .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
            .expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let service = router(ServerOptions {
            store: Arc::new(Store::Sqlite(store)),
            limits: Limits::default(),
            development_token: Some(TOKEN.into()),
            clock: Arc::new(|| "2026-03-05T14:02:11Z".into()),
            stopping: stopping.clone(),
        });
        let thread = std::thread::spawn(move || {
            runtime.block_on(async move {
                let mut stopping = stopping;
                let service = service.into_make_service_with_connect_info::<SocketAddr>();
                axum::serve(listener, service)
                    .with_graceful_shutdown(async move {
                        let _ = stopping.wait_for(|stop| *stop).await;
                    })
                    .await
                    .expect("the server runs");
            });
        });
        Self {
            url,
            stop,
            thread: Some(thread),
            _data: data,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
