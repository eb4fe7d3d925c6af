//! Waits for the signals by which a person or a host stops a program.

use std::path::PathBuf;

/// Which one came, as the exit code of a program that it ended: 128 and its number, as shells count.
pub(crate) const INTERRUPTED: i32 = 130;
pub(crate) const TERMINATED: i32 = 143;

/// Waits until the program is asked to stop.
#[cfg(unix)]
pub(crate) async fn asked() -> i32 {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = terminate.recv() => TERMINATED,
                _ = tokio::signal::ctrl_c() => INTERRUPTED,
            }
        }
        // Without a handler the signal ends the process by itself.
        Err(_) => std::future::pending().await,
    }
}

/// Waits until the program is asked to stop.
#[cfg(not(unix))]
pub(crate) async fn asked() -> i32 {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
    INTERRUPTED
}

/// Removes a folder and ends the process when it is asked to stop: what stands in a scratch folder is nothing to
/// leave behind.
///
/// # Errors
/// When no thread can be started.
pub(crate) fn remove_when_asked(folder: PathBuf) -> std::io::Result<()> {
    // Whoever goes on writing while the folder is being removed may put something in again.
    const TRIES: usize = 20;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    std::thread::Builder::new().spawn(move || {
        let code = runtime.block_on(asked());
        for _ in 0..TRIES {
            match std::fs::remove_dir_all(&folder) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {}
                _ => break,
            }
        }
        std::process::exit(code)
    })?;
    Ok(())
}
