//! The stored inputs of fuzz targets, on the stable compiler.

use std::path::Path;

/// Runs the body of a fuzz target on every stored input: the seeds, and what fuzzing once found.
///
/// `package` is the folder of the fuzzed member, `env!("CARGO_MANIFEST_DIR")`; the inputs lie in
/// `fuzz/seeds/NAME` and `fuzz/found/NAME` below it. Says how many seeds there were: a target without any is a
/// mistake, and is one here.
///
/// ```
/// let package = tempfile_like("seeds", "numbers", b"12");
/// let seen = std::cell::Cell::new(0);
/// let seeds = test_support::replay(&package, "numbers", |data| seen.set(seen.get() + data.len()));
/// assert_eq!((seeds, seen.get()), (1, 2));
/// # std::fs::remove_dir_all(&package).unwrap();
/// # fn tempfile_like(kind: &str, name: &str, bytes: &[u8]) -> String {
/// #     let package = std::env::temp_dir().join(format!("test-support-{}", std::process::id()));
/// #     let folder = package.join("fuzz").join(kind).join(name);
/// #     std::fs::create_dir_all(&folder).unwrap();
/// #     std::fs::write(folder.join("1"), bytes).unwrap();
/// #     package.to_str().unwrap().to_owned()
/// # }
/// ```
pub fn replay(package: &str, name: &str, body: impl Fn(&[u8])) -> usize {
    let fuzz = Path::new(package).join("fuzz");
    let mut seeds = 0;
    for kind in ["seeds", "found"] {
        let Ok(entries) = std::fs::read_dir(fuzz.join(kind).join(name)) else {
            continue;
        };
        for entry in entries {
            let path = entry.expect("an entry").path();
            // Shown with a failure only.
            println!("{}", path.display());
            body(&std::fs::read(&path).expect("a stored input"));
            seeds += usize::from(kind == "seeds");
        }
    }
    assert!(seeds > 0, "no seeds for {name}");
    seeds
}
