//! The rules, by name.

use std::fmt;

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $text:literal;)*) => {
        /// The rule that refused a key, a path or a folder.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum TraversalReason {
            $($(#[$doc])* $name,)*
        }

        impl TraversalReason {
            /// Every reason, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns a short stable name, such as `dot-component`, for logs and JSON.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// Returns the rule as a sentence without capital and full stop.
            pub fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

reasons! {
    /// The key or the path is empty.
    Empty = "empty", "it is empty";
    /// The key begins with a slash.
    Absolute = "absolute", "it is absolute";
    /// A component is `.` or `..`, or nothing but dots once invisible characters and look-alikes
    /// are taken into account.
    DotComponent = "dot-component", "a component is \".\" or \"..\"";
    /// Two slashes follow each other.
    EmptyComponent = "empty-component", "a component is empty";
    /// The key ends with a slash. (A trailing slash makes `O_NOFOLLOW` follow.)
    TrailingSlash = "trailing-slash", "it ends with a slash";
    /// A backslash: a separator on Windows.
    Backslash = "backslash", "it holds a backslash";
    /// A NUL: the end of the name for the operating system.
    Nul = "nul", "it holds a NUL";
    /// A control character (C0, DEL or C1).
    ControlCharacter = "control-character", "it holds a control character";
    /// U+2028 or U+2029.
    LineSeparator = "line-separator", "it holds a line separator";
    /// A character that changes the direction of the text after it (U+202A–U+202E, U+2066–U+2069).
    BidiControl = "bidi-control", "it holds a character that changes the text direction";
    /// U+FEFF.
    ByteOrderMark = "byte-order-mark", "it holds a byte order mark";
    /// A code point that is never a character (U+FDD0–U+FDEF and the last two of each plane).
    Noncharacter = "noncharacter", "it holds a code point that is no character";
    /// A colon: a drive or an alternate data stream on Windows.
    Colon = "colon", "it holds a colon";
    /// Percent escapes decode to a separator.
    EncodedSeparator = "encoded-separator", "its percent escapes hide a separator";
    /// Percent escapes decode to a component of dots.
    EncodedDots = "encoded-dots", "its percent escapes hide a dot component";
    /// Percent escapes decode to a NUL.
    EncodedNul = "encoded-nul", "its percent escapes hide a NUL";
    /// Percent escapes are still there after the bounded number of decoding rounds.
    EncodedTooDeep = "encoded-too-deep", "its percent escapes are nested too deeply";
    /// A character that some normalisation turns into a separator or a full stop.
    Lookalike = "lookalike", "it holds a look-alike of a separator or a full stop";
    /// A component of invisible characters only.
    Invisible = "invisible", "a component is invisible";
    /// A device name of Windows, such as `CON` or `nul.md`.
    DeviceName = "device-name", "a component is a device name on Windows";
    /// A component ends with a full stop or a space, which Windows drops.
    TrailingDotOrSpace = "trailing-dot-or-space", "a component ends with a full stop or a space";
    /// A component that is `.git`, or is taken for it by some file system.
    GitFolder = "git-folder", "a component names a git folder";
    /// The key begins with a tilde, or a component is a tilde: a home folder for a shell.
    Tilde = "tilde", "it begins with a tilde";
    /// A component is longer than 255 bytes.
    ComponentTooLong = "component-too-long", "a component is longer than 255 bytes";
    /// The key is longer than 4,095 bytes.
    KeyTooLong = "key-too-long", "it is longer than 4095 bytes";
    /// The key has more than 64 levels.
    TooDeep = "too-deep", "it has more than 64 levels";
    /// The name is one of our own temporary files.
    TemporaryName = "temporary-name", "a component is reserved for temporary files";
    /// The extension is not one of those the rules allow.
    Extension = "extension", "its extension is not allowed here";
    /// The name is not UTF-8.
    NotUtf8 = "not-utf-8", "it is not UTF-8";
    /// A symbolic link is on the way, or the name is one.
    Link = "link", "a symbolic link is on the way";
    /// A mount point is on the way.
    OtherDevice = "other-device", "it lies on another device or mount";
    /// The path lies outside the folder it should lie in.
    OutsideRoot = "outside-root", "it lies outside the folder";
    /// A folder setting that is not absolute.
    Relative = "relative", "it is not absolute";
    /// A folder setting shorter than three characters.
    TooShort = "too-short", "it is shorter than three characters";
    /// A folder setting that names the root of a file system.
    FileSystemRoot = "file-system-root", "it is the root of a file system";
    /// A folder setting that names a network share or a device path of Windows.
    NetworkPath = "network-path", "it is a network path";
    /// A folder setting that uses a tilde in another form than `~/name`.
    TildeForm = "tilde-form", "a tilde is allowed only as \"~/name\"";
    /// A folder setting with `~/`, and the home folder is not known.
    NoHome = "no-home", "the home folder is not known";
    /// A folder setting that names the home folder or a folder above it.
    HomeFolder = "home-folder", "it is the home folder or lies above it";
    /// A folder setting below `/proc`, `/sys` or `/dev`.
    SystemFolder = "system-folder", "it is a folder of the operating system";
    /// A folder setting with glob characters.
    Glob = "glob", "it holds a glob character";
}

impl fmt::Display for TraversalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
