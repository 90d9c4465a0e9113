//! The address by which other machines reach the server.

use std::str::FromStr;

/// A WebSocket address for invitations: `wss://games.example.org/ws`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl(String);

impl PublicUrl {
    /// Maximum length, in bytes.
    const MAX_BYTES: usize = 200;

    /// Returns the text of the address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A text that cannot be the address of a WebSocket server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected ws://HOST:PORT/ws or wss://HOST/ws of at most {} bytes",
    PublicUrl::MAX_BYTES
)]
pub struct PublicUrlError;

impl FromStr for PublicUrl {
    type Err = PublicUrlError;

    fn from_str(text: &str) -> Result<PublicUrl, PublicUrlError> {
        let url: hyper::Uri = text.parse().map_err(|_| PublicUrlError)?;
        let is_websocket = matches!(url.scheme_str(), Some("ws" | "wss"));
        let has_host = url.host().is_some_and(|host| !host.is_empty());
        if is_websocket && has_host && text.len() <= PublicUrl::MAX_BYTES {
            Ok(PublicUrl(text.to_owned()))
        } else {
            Err(PublicUrlError)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_websocket_addresses_are_accepted() {
        for text in [
            "ws://192.168.1.5:7878/ws",
            "wss://games.example.org/ws",
            "wss://[::1]:443/ws",
        ] {
            assert_eq!(
                text.parse::<PublicUrl>().map(|url| url.as_str().to_owned()),
                Ok(text.to_owned())
            );
        }
        let long = format!("wss://{}/ws", "a".repeat(PublicUrl::MAX_BYTES));
        for text in [
            "",
            "games.example.org",
            "https://games.example.org/",
            "ws://",
            "ws://a b/ws",
            &long,
        ] {
            assert_eq!(text.parse::<PublicUrl>(), Err(PublicUrlError), "{text}");
        }
    }
}
