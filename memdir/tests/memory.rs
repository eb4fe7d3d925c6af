//! Reading, printing and editing one memory file.

use memdir::Memory;

#[test]
fn an_unchanged_memory_prints_its_own_bytes() {
    for bytes in [
        b"".as_slice(),
        b"\xEF\xBB\xBF---\r\nname: x\r\n---\r\nbody",
        b"---\nname: never closed\n\nbody \xFF\n",
    ] {
        assert_eq!(Memory::parse(bytes).print(), bytes);
    }
}
