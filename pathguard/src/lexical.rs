//! Paths by their text alone.

use std::path::{Component, Path, PathBuf};

/// Takes `.` and, by name alone, `..` out of a path. The file system is not asked.
///
/// A guess at where a path is meant to lead that cannot be resolved: it does not exist yet, or what it led to
/// when it was written down is over. Where a link lies on the way, `..` leads elsewhere, so this proves nothing
/// about what a path may touch; [`MemoryRoot`](crate::MemoryRoot) does.
///
/// `..` at the root stays at the root. At the beginning of a relative path it is dropped.
///
/// ```
/// # #[cfg(unix)] {
/// use pathguard::lexically_normal;
/// use std::path::Path;
///
/// assert_eq!(lexically_normal(Path::new("/home/ana/./app/../notes.md")), Path::new("/home/ana/notes.md"));
/// assert_eq!(lexically_normal(Path::new("/../etc")), Path::new("/etc"));
/// # }
/// ```
pub fn lexically_normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::with_capacity(path.as_os_str().len());
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}
