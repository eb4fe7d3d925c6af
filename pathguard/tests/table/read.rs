//! Reading.

use std::io::Read;

use pathguard::{EntryKind, ErrorKind, Metadata};

use super::{check_kind, for_each_backend, key};

#[test]
fn a_file_is_read_whole_up_to_the_bound() {
    for_each_backend(|place| {
        for len in [0_usize, 1, 2, 100, 4095, 4096, 4097, 70_000, 1_000_000] {
            let text = "x".repeat(len);
            place.plant("a/x.md", &text);
            let at = key("a/x.md");
            let exact = place.root.read(at, len as u64).unwrap();
            assert_eq!((exact.bytes.len(), exact.cut), (len, false));
            assert_eq!(exact.metadata.len, len as u64);
            assert_eq!(
                place.root.read(at, u64::MAX).unwrap().bytes,
                text.as_bytes()
            );
            if let Some(less) = len.checked_sub(1) {
                check_kind(
                    place.root.read(at, less as u64),
                    ErrorKind::TooLarge,
                    "one byte less",
                );
            }
        }
    });
}

#[test]
fn a_prefix_says_whether_the_file_goes_on() {
    for_each_backend(|place| {
        place.plant("x.md", "0123456789");
        for (max, expected, cut) in [
            (0, "", true),
            (1, "0", true),
            (9, "012345678", true),
            (10, "0123456789", false),
            (11, "0123456789", false),
            (u64::MAX, "0123456789", false),
        ] {
            let read = place.root.read_prefix(key("x.md"), max).unwrap();
            assert_eq!(read.bytes, expected.as_bytes(), "{max}");
            assert_eq!((read.cut, read.metadata.len), (cut, 10), "{max}");
        }
        place.plant("empty.md", "");
        let read = place.root.read_prefix(key("empty.md"), 0).unwrap();
        assert_eq!((read.bytes.len(), read.cut), (0, false));
    });
}

#[test]
fn a_range_may_begin_anywhere() {
    for_each_backend(|place| {
        place.plant("x.md", "0123456789");
        for (offset, max, expected, cut) in [
            (0, 3, "012", true),
            (7, 3, "789", false),
            (7, 2, "78", true),
            (7, 100, "789", false),
            (10, 100, "", false),
            (11, 100, "", false),
            (1 << 40, 100, "", false),
            (3, 0, "", true),
        ] {
            let read = place.root.read_range(key("x.md"), offset, max).unwrap();
            assert_eq!(read.bytes, expected.as_bytes(), "{offset} {max}");
            assert_eq!((read.cut, read.metadata.len), (cut, 10), "{offset} {max}");
        }
    });
}

#[test]
fn a_buffer_is_used_again_and_holds_only_the_last_file() {
    for_each_backend(|place| {
        place.plant("long.md", &"x".repeat(200_000));
        place.plant("short.md", "short");
        let mut buffer = b"what was there before".to_vec();
        let metadata = place
            .root
            .read_into(key("short.md"), 1000, &mut buffer)
            .unwrap();
        assert_eq!((buffer.as_slice(), metadata.len), (&b"short"[..], 5));
        place
            .root
            .read_into(key("long.md"), 1 << 20, &mut buffer)
            .unwrap();
        assert_eq!(buffer.len(), 200_000);
        let metadata = place
            .root
            .read_into(key("long.md"), 10, &mut buffer)
            .unwrap();
        assert_eq!(
            (buffer.as_slice(), metadata.len),
            (&b"xxxxxxxxxx"[..], 200_000)
        );
        let metadata = place
            .root
            .read_into(key("short.md"), 3, &mut buffer)
            .unwrap();
        assert_eq!((buffer.as_slice(), metadata.len), (&b"sho"[..], 5));
        assert!(
            place
                .root
                .read_into(key("missing.md"), 3, &mut buffer)
                .unwrap_err()
                .is_not_found()
        );
    });
}

#[test]
fn an_open_file_is_read_piece_by_piece() {
    for_each_backend(|place| {
        place.plant("a/b/x.md", "text");
        let (mut file, metadata) = place.root.open_file(key("a/b/x.md")).unwrap();
        assert!(metadata.is_file());
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
    });
}

#[test]
fn only_what_is_absent_is_not_found() {
    for_each_backend(|place| {
        place.plant("a/x.md", "x");
        for absent in ["y.md", "a/y.md", "b/x.md", "b/c/d/x.md"] {
            check_kind(
                place.root.read(key(absent), 10),
                ErrorKind::NotFound,
                absent,
            );
            check_kind(
                place.root.metadata(key(absent)),
                ErrorKind::NotFound,
                absent,
            );
            check_kind(
                place.root.open_sub(key(absent)),
                ErrorKind::NotFound,
                absent,
            );
        }
        check_kind(
            place.root.read(key("a/x.md/y"), 10),
            ErrorKind::NotDirectory,
            "below a file",
        );
        check_kind(
            place.root.open_sub(key("a/x.md")),
            ErrorKind::NotDirectory,
            "a file as root",
        );
    });
}

#[test]
fn metadata_is_the_same_from_every_call() {
    for_each_backend(|place| {
        place.plant("a/x.md", "text");
        let looked = place.root.metadata(key("a/x.md")).unwrap();
        let read = place.root.read(key("a/x.md"), 10).unwrap().metadata;
        assert_eq!(looked, read);
        let Metadata {
            len, links, kind, ..
        } = looked;
        assert_eq!((len, links, kind), (4, 1, EntryKind::File));
        let modified = std::fs::metadata(place.path("a/x.md"))
            .unwrap()
            .modified()
            .unwrap();
        let since = modified.duration_since(std::time::UNIX_EPOCH).unwrap();
        assert_eq!(
            looked.modified_ns,
            i128::try_from(since.as_nanos()).unwrap()
        );
        assert!(place.root.metadata(key("a")).unwrap().is_dir());
    });
}

#[cfg(target_os = "linux")]
#[test]
fn times_before_the_epoch_are_negative() {
    use rustix::fs::{AtFlags, CWD, Timespec, Timestamps};
    for_each_backend(|place| {
        place.plant("x.md", "x");
        let time = Timespec {
            tv_sec: -2,
            tv_nsec: 500_000_000,
        };
        let times = Timestamps {
            last_access: time,
            last_modification: time,
        };
        rustix::fs::utimensat(CWD, place.path("x.md"), &times, AtFlags::empty()).unwrap();
        let found = place.root.metadata(key("x.md")).unwrap();
        assert_eq!(found.modified_ns, -1_500_000_000);
    });
}
