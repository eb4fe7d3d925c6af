//! Views of a text in which a credential stands plain that the text itself hides.

pub(crate) mod base64;
