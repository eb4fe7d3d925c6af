//! Where a request may go.

use std::net::IpAddr;

use reqwest::Url;

use crate::error::{Error, ErrorKind};

/// A base address that has been checked: https anywhere, plain http to this machine only, and nothing in
/// it that could leak (user name, password) or be lost (query, fragment).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    url: Url,
    loopback: bool,
}

impl Address {
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let refused = |why: &'static str| Error::new(ErrorKind::UnsafeAddress, why);
        // The text is not shown: it may hold a password.
        let url = Url::parse(text.trim()).map_err(|_| refused("it is no web address"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused("it holds a user name or password"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(refused("it holds a query or fragment"));
        }
        let loopback = url.host_str().is_some_and(is_loopback);
        match url.scheme() {
            "https" => {}
            "http" if loopback => {}
            "http" => return Err(refused("plain http may go to this machine only")),
            _ => return Err(refused("only https and http are spoken")),
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(refused("it names no host"));
        }
        Ok(Self { url, loopback })
    }

    /// Tells whether the address is on this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        self.loopback
    }

    /// Returns the host without a port.
    #[cfg(feature = "openai")]
    pub(crate) fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// Returns scheme, host and port.
    pub(crate) fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// Returns the address of an endpoint below this one. A base that already ends in the first segment
    /// of the path (`/v1`) does not get it twice.
    pub(crate) fn join(&self, path: &str) -> Url {
        let base = self.url.path().trim_end_matches('/');
        let first = path.split('/').next().unwrap_or_default();
        let rest = match base.strip_suffix(first) {
            Some(before) if before.ends_with('/') => &path[first.len()..],
            _ => path,
        };
        let mut url = self.url.clone();
        url.set_path(&format!("{base}/{}", rest.trim_start_matches('/')));
        url
    }
}

/// Only names that cannot lead elsewhere: `localhost` is resolved by us, see the client.
fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::Address;
    use crate::error::ErrorKind;

    #[test]
    fn plain_http_goes_to_this_machine_only() {
        let allowed = [
            "https://api.anthropic.com",
            "https://gateway.example/anthropic/",
            "http://127.0.0.1:11434",
            "http://127.9.9.9",
            "http://[::1]:8080/v1",
            "http://localhost:11434/v1",
            "http://LOCALHOST",
        ];
        for text in allowed {
            assert!(Address::parse(text).is_ok(), "{text}");
        }
        let refused = [
            "http://api.anthropic.com",
            "http://192.168.1.4:11434",
            "http://127.0.0.1.example.com",
            "http://localhost.example.com",
            "http://example.localhost",
            "http://0.0.0.0:80",
            "http://[::]:80",
            "http://[::ffff:10.0.0.1]",
            "ftp://127.0.0.1",
            "file:///etc/passwd",
            "https://",
            "127.0.0.1:8080",
            "",
            "https://user@example.com",
            "https://user:word@example.com",
            "https://example.com?key=1",
            "https://example.com#x",
        ];
        for text in refused {
            let error = Address::parse(text).expect_err(text);
            assert_eq!(error.kind(), ErrorKind::UnsafeAddress, "{text}");
        }
    }

    #[test]
    fn an_endpoint_is_joined_once() {
        let cases = [
            (
                "https://api.anthropic.com",
                "https://api.anthropic.com/v1/messages",
            ),
            (
                "https://api.anthropic.com/",
                "https://api.anthropic.com/v1/messages",
            ),
            (
                "https://api.anthropic.com/v1",
                "https://api.anthropic.com/v1/messages",
            ),
            (
                "https://gw.example/a/v1/",
                "https://gw.example/a/v1/messages",
            ),
            (
                "https://gw.example/av1",
                "https://gw.example/av1/v1/messages",
            ),
        ];
        for (base, joined) in cases {
            let address = Address::parse(base).unwrap();
            assert_eq!(address.join("v1/messages").as_str(), joined, "{base}");
        }
    }
}
