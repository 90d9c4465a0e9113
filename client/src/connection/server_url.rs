//! Server URLs, and invites to rooms, as people type or paste them.
//!
//! All notations are normalized to `ws://host:port/path` or `wss://…`. This form is displayed and passed on.

use std::fmt;
use std::str::FromStr;

use noughts_protocol::{RoomCode, RoomId, RoomRef};
use serde::{Serialize, Serializer};
use tokio_tungstenite::tungstenite::http::Uri;

/// The URL of a server's WebSocket endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ServerUrl {
    /// Lower-case name or address; an IPv6 address in brackets.
    host: String,
    port: u16,
    path: String,
    secure: bool,
}

/// Reason why a text is not the URL of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServerUrlError {
    #[error("server_syntax")]
    Syntax,
    #[error("server_scheme")]
    Scheme,
    #[error("server_port")]
    Port,
    #[error("server_parts")]
    Parts,
}

impl ServerUrl {
    pub const DEFAULT_PORT: u16 = 7878;
    /// Default port with TLS, usually the port of a reverse proxy.
    pub const DEFAULT_TLS_PORT: u16 = 443;
    /// Default path of the WebSocket endpoint.
    pub const DEFAULT_PATH: &'static str = "/ws";
    /// Maximum length of a URL.
    const MAX_LEN: usize = 255;

    /// Returns the default server on this machine.
    pub fn local() -> ServerUrl {
        ServerUrl {
            host: "127.0.0.1".to_owned(),
            port: ServerUrl::DEFAULT_PORT,
            path: ServerUrl::DEFAULT_PATH.to_owned(),
            secure: false,
        }
    }

    /// Returns the host name or address, without the brackets of an IPv6 address.
    pub fn host(&self) -> &str {
        self.host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'))
            .unwrap_or(&self.host)
    }

    /// Returns whether this is an address of this machine that other machines cannot reach.
    pub fn is_loopback(&self) -> bool {
        let host = self.host();
        host == "localhost"
            || host
                .parse::<std::net::IpAddr>()
                .is_ok_and(|address| address.is_loopback())
    }

    /// Returns the same server under another host name, for display.
    pub(crate) fn with_host(&self, host: &str) -> ServerUrl {
        ServerUrl {
            host: host.to_owned(),
            ..self.clone()
        }
    }

    /// Returns the scheme, host and port, which determine the identity of the player on this server.
    pub(crate) fn origin(&self) -> String {
        let scheme = if self.secure { "wss" } else { "ws" };
        format!("{scheme}://{}:{}", self.host, self.port)
    }

    /// Returns the address of the server's page.
    pub(crate) fn page(&self) -> String {
        let text = self.to_string();
        let page = text.strip_suffix("ws").unwrap_or(&text);
        page.replacen("ws", "http", 1)
    }

    /// Returns the shortest text that parses as this URL.
    pub(crate) fn short(&self) -> String {
        let (scheme, default_port) = match self.secure {
            true => ("wss://", ServerUrl::DEFAULT_TLS_PORT),
            false => ("", ServerUrl::DEFAULT_PORT),
        };
        let port = if self.port == default_port {
            String::new()
        } else {
            format!(":{}", self.port)
        };
        let path = if self.path == ServerUrl::DEFAULT_PATH {
            ""
        } else {
            &self.path
        };
        format!("{scheme}{}{port}{path}", self.host)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn is_secure(&self) -> bool {
        self.secure
    }
}

impl Default for ServerUrl {
    fn default() -> ServerUrl {
        ServerUrl::local()
    }
}

impl Serialize for ServerUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin(), self.path)
    }
}

impl FromStr for ServerUrl {
    type Err = ServerUrlError;

    fn from_str(text: &str) -> Result<ServerUrl, ServerUrlError> {
        let text = text.trim();
        if text.len() > ServerUrl::MAX_LEN {
            return Err(ServerUrlError::Parts);
        }
        // `Uri` cannot parse a path after a host without a scheme, so `ws://` is added below.
        let (rest, secure) = match text.split_once("://") {
            None => (text, false),
            Some((scheme, rest)) => match scheme.to_ascii_lowercase().as_str() {
                "ws" | "http" => (rest, false),
                "wss" | "https" => (rest, true),
                _ => return Err(ServerUrlError::Scheme),
            },
        };
        // A bare IPv6 address needs no brackets.
        let bare_v6 = rest.parse::<std::net::Ipv6Addr>().is_ok();
        let rest = if bare_v6 {
            format!("ws://[{rest}]")
        } else {
            format!("ws://{rest}")
        };
        let uri: Uri = rest.parse().map_err(|_| ServerUrlError::Syntax)?;
        let authority = uri.authority().ok_or(ServerUrlError::Syntax)?;
        if authority.as_str().contains('@') || uri.query().is_some() {
            return Err(ServerUrlError::Parts);
        }
        let host = authority.host().to_ascii_lowercase();
        if !is_host(&host) {
            return Err(ServerUrlError::Syntax);
        }
        // `Uri` accepts `host:` without a port, so check it here.
        let port = match authority.as_str().get(host.len()..).unwrap_or("") {
            "" if secure => ServerUrl::DEFAULT_TLS_PORT,
            "" => ServerUrl::DEFAULT_PORT,
            tail => tail
                .strip_prefix(':')
                .and_then(|digits| digits.parse().ok())
                .filter(|&port| port != 0)
                .ok_or(ServerUrlError::Port)?,
        };
        let path = match uri.path() {
            "" | "/" => ServerUrl::DEFAULT_PATH,
            path => path,
        };
        Ok(ServerUrl {
            host,
            port,
            path: path.to_owned(),
            secure,
        })
    }
}

/// Returns whether this is a name of letters, digits, dots, dashes and underscores, or an IPv6 address in brackets.
/// `Uri` accepts more than resolvers do.
fn is_host(host: &str) -> bool {
    match host.strip_prefix('[').map(|host| host.strip_suffix(']')) {
        Some(inner) => inner.is_some_and(|inner| inner.parse::<std::net::Ipv6Addr>().is_ok()),
        None => {
            !host.is_empty()
                && host
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
        }
    }
}

/// An invite to a room: its code or id, optionally preceded by the server and `#`.
///
/// The code is in the fragment of the URL, which browsers do not send to the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invite {
    /// The server, if the invite names one.
    pub server: Option<ServerUrl>,
    pub room: RoomRef,
}

/// Reason why a text is not an invite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InviteError {
    #[error("invite")]
    Room,
    #[error(transparent)]
    Server(#[from] ServerUrlError),
}

impl fmt::Display for Invite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.server {
            Some(server) => write!(f, "{server}#{}", self.room),
            None => self.room.fmt(f),
        }
    }
}

impl FromStr for Invite {
    type Err = InviteError;

    fn from_str(text: &str) -> Result<Invite, InviteError> {
        let text = text.trim();
        let (server, room) = match text.split_once('#') {
            // `#CODE` is an invite without a server.
            Some(("", room)) => (None, room),
            Some((server, room)) => (Some(server.parse()?), room),
            None => (None, text),
        };
        let room = room.parse::<RoomRef>().map_err(|_| InviteError::Room)?;
        Ok(Invite { server, room })
    }
}

impl From<RoomId> for Invite {
    fn from(room: RoomId) -> Invite {
        Invite {
            server: None,
            room: RoomRef::Id(room),
        }
    }
}

impl From<RoomCode> for Invite {
    fn from(code: RoomCode) -> Invite {
        Invite {
            server: None,
            room: RoomRef::Code(code),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, ServerUrlError>) {
        let parsed = text.parse::<ServerUrl>();
        assert_eq!(
            parsed.map(|url| url.to_string()),
            expected.map(str::to_owned),
            "{text:?}"
        );
    }

    #[test]
    fn typed_addresses_are_normalized() {
        check("localhost", Ok("ws://localhost:7878/ws"));
        check(" Example.ORG ", Ok("ws://example.org:7878/ws"));
        check("example.org:80", Ok("ws://example.org:80/ws"));
        check("http://example.org/", Ok("ws://example.org:7878/ws"));
        check(
            "WS://example.org:9/games/ws",
            Ok("ws://example.org:9/games/ws"),
        );
        check("10.0.0.7:7878/ws", Ok("ws://10.0.0.7:7878/ws"));
        check("[::1]", Ok("ws://[::1]:7878/ws"));
        check("[::1]:99", Ok("ws://[::1]:99/ws"));
        check("::1", Ok("ws://[::1]:7878/ws"));
        check("ws://[FE80::1]:7878/ws", Ok("ws://[fe80::1]:7878/ws"));
        assert_eq!(
            ServerUrl::local().to_string().parse(),
            Ok(ServerUrl::local())
        );
        assert_eq!("[::1]:99".parse::<ServerUrl>().unwrap().host(), "::1");
    }

    #[test]
    fn the_short_text_is_read_as_the_same_url() {
        for (typed, short) in [
            ("ws://192.168.1.5:7878/ws", "192.168.1.5"),
            ("example.org:80", "example.org:80"),
            ("ws://example.org/games/ws", "example.org/games/ws"),
            ("https://games.example.org", "wss://games.example.org"),
            ("wss://example.org:9", "wss://example.org:9"),
            ("::1", "[::1]"),
        ] {
            let url: ServerUrl = typed.parse().unwrap();
            assert_eq!(url.short(), short);
            assert_eq!(short.parse(), Ok(url), "{short}");
        }
    }

    #[test]
    fn wss_and_https_use_tls() {
        check("wss://example.org", Ok("wss://example.org:443/ws"));
        check("HTTPS://example.org:7878", Ok("wss://example.org:7878/ws"));
        assert!(
            "wss://example.org"
                .parse::<ServerUrl>()
                .unwrap()
                .is_secure()
        );
        assert!(!"example.org".parse::<ServerUrl>().unwrap().is_secure());
    }

    #[test]
    fn invalid_urls_have_reasons() {
        use ServerUrlError::{Parts, Port, Scheme, Syntax};
        for text in [
            "",
            " ",
            "/",
            "ws://",
            "a b",
            "host\u{7}",
            "ho*st",
            "[::1",
            "[zz]",
            "ws:///ws",
            "exämple.org",
        ] {
            check(text, Err(Syntax));
        }
        check("ftp://example.org", Err(Scheme));
        check("user@example.org", Err(Parts));
        check("example.org/ws?x=1", Err(Parts));
        check(&"a".repeat(256), Err(Parts));
        for text in ["host:", "host:0", "ws://host:/ws"] {
            check(text, Err(Port));
        }
        assert!("host:65536".parse::<ServerUrl>().is_err());
        assert!("host:x".parse::<ServerUrl>().is_err());
    }

    #[test]
    fn an_invite_round_trips() {
        for text in [
            "abcd-efgh-jkmn",
            "k7qf3mzx",
            "ws://h:1/ws#abcd-efgh-jkmn",
            "ws://[::1]:1/x#k7qf3mzx",
        ] {
            assert_eq!(text.parse::<Invite>().unwrap().to_string(), text);
        }
        assert_eq!(
            "#k7qf3mzx".parse::<Invite>().unwrap().to_string(),
            "k7qf3mzx"
        );
    }

    #[test]
    fn invalid_invites_have_reasons() {
        assert_eq!("ws://h:1/ws".parse::<Invite>(), Err(InviteError::Room));
        assert_eq!("h#".parse::<Invite>(), Err(InviteError::Room));
        assert_eq!(
            "ftp://h#k7qf3mzx".parse::<Invite>(),
            Err(InviteError::Server(ServerUrlError::Scheme))
        );
    }
}
