//! Minimal HTTP client: requests as text, parsed responses.

use std::net::SocketAddr;

use crate::client::raw_websocket::RawWebSocket;
use crate::server::send_raw;

/// Parsed response.
#[derive(Clone, Debug)]
pub struct HttpResponse {
    /// Status code; 0 if the connection closed without a response.
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl HttpResponse {
    /// Parses a response.
    pub fn parse(text: &str) -> HttpResponse {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.strip_prefix("HTTP/1."));
        let status = status
            .and_then(|line| line.get(2..5)?.parse().ok())
            .unwrap_or(0);
        let header = |line: &str| {
            line.split_once(':')
                .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        };
        HttpResponse {
            status,
            headers: lines.filter_map(header).collect(),
            body: body.to_owned(),
        }
    }

    /// Returns all values of a header.
    fn header_values(&self, name: &str) -> Vec<&str> {
        let named = self.headers.iter().filter(|(known, _)| known == name);
        named.map(|(_, value)| value.as_str()).collect()
    }

    /// Returns the value of a header that may occur once.
    ///
    /// # Panics
    ///
    /// If the header occurs more than once.
    pub fn header(&self, name: &str) -> Option<&str> {
        match self.header_values(name)[..] {
            [] => None,
            [value] => Some(value),
            _ => panic!("{name} more than once in {self:?}"),
        }
    }
}

/// Sends a request and reads the response until the server closes the connection.
pub async fn send_request(address: SocketAddr, text: &str) -> HttpResponse {
    HttpResponse::parse(&send_raw(address, text.as_bytes()).await)
}

/// Sends a GET request; each extra header line includes its line break.
pub async fn get_with_headers(
    address: SocketAddr,
    path: &str,
    extra_headers: &str,
) -> HttpResponse {
    send_request(
        address,
        &format!("GET {path} HTTP/1.1\r\n{extra_headers}\r\n"),
    )
    .await
}

/// Sends a request and reads the head of the response; the connection stays open.
pub async fn request_head(address: SocketAddr, text: &str) -> (RawWebSocket, HttpResponse) {
    let mut socket = RawWebSocket::connect(address).await;
    socket.write(text.as_bytes()).await;
    let head = socket.read_head().await;
    (socket, HttpResponse::parse(&head))
}
