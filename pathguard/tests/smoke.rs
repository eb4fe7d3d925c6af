//! Smoke.
use pathguard::*;
fn k(s: &str) -> PathKeyRef<'_> {
    PathKeyRef::parse(s).unwrap()
}
#[test]
fn smoke() {
    let t = tempfile::tempdir().unwrap();
    for b in [
        BackendChoice::Auto,
        BackendChoice::AutoWithFault(Fault::Blocked),
    ] {
        let root = MemoryRoot::open_or_create(
            &t.path().join(format!("x/y{b:?}")),
            &RootOptions::new().with_backend(b),
        )
        .unwrap();
        println!("{:?}", root.backend());
        root.write(k("a.md"), b"hello", &WriteOptions::default())
            .unwrap();
        root.write(
            k("d/e/a.md"),
            b"hello",
            &WriteOptions::new().with_create_parents(true),
        )
        .unwrap();
        assert_eq!(root.read(k("a.md"), 5).unwrap().bytes, b"hello");
        assert_eq!(
            root.read(k("a.md"), 4).unwrap_err().kind(),
            ErrorKind::TooLarge
        );
        let p = root.read_prefix(k("a.md"), 4).unwrap();
        assert!(p.cut && p.bytes == b"hell");
        let mut buf = Vec::new();
        assert_eq!(root.read_into(k("d/e/a.md"), 3, &mut buf).unwrap().len, 5);
        root.append(k("a.md"), b" you", &AppendOptions::default())
            .unwrap();
        assert_eq!(root.read(k("a.md"), 100).unwrap().bytes, b"hello you");
        root.rename(k("a.md"), k("d/b.md"), &RenameOptions::default())
            .unwrap();
        assert!(root.read(k("a.md"), 100).unwrap_err().is_not_found());
        std::os::unix::fs::symlink("/etc", root.path().join("etc")).unwrap();
        std::os::unix::fs::symlink("etcx", root.path().join("dang")).unwrap();
        std::os::unix::fs::symlink("lo", root.path().join("lo")).unwrap();
        assert_eq!(
            root.read(k("etc/passwd"), 100).unwrap_err().kind(),
            ErrorKind::Traversal
        );
        assert_eq!(
            root.read(k("dang"), 100).unwrap_err().kind(),
            ErrorKind::Dangling
        );
        assert_eq!(root.read(k("lo"), 100).unwrap_err().kind(), ErrorKind::Loop);
        println!("{:#?}", root.list(&ListLimits::default()).unwrap());
        let l = root.lock(k(".lock"), &LockWait::none()).unwrap();
        assert_eq!(
            root.lock(k(".lock"), &LockWait::none()).unwrap_err().kind(),
            ErrorKind::Busy
        );
        drop(l);
        drop(root.lock(k(".lock"), &LockWait::none()).unwrap());
        let mut batch = root.batch();
        for i in 0..50 {
            batch
                .write(k(&format!("f{i}.md")), b"x", &WriteOptions::default())
                .unwrap();
        }
        assert_eq!(batch.commit().unwrap().into_result().unwrap(), 50);
    }
}
