//! Tests of pathguard. The modules mirror `src`.

mod smoke;
