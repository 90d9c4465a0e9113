//! HTTP by hand: a request as text, its answer taken apart.

use std::net::SocketAddr;

use crate::client::raw_websocket::RawWebSocket;
use crate::server::send_raw;

/// What a request was answered with.
#[derive(Clone, Debug)]
pub struct HttpResponse {
    /// The status; 0 when the line ended without one.
    pub status: u16,
    /// The header lines.
    pub headers: Vec<(String, String)>,
    /// What came behind them.
    pub body: String,
}

impl HttpResponse {
    /// Takes an answer apart.
    pub fn parse(text: &str) -> HttpResponse {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.strip_prefix("HTTP/1."));
        let status = status.and_then(|line| line.get(2..5)?.parse().ok()).unwrap_or(0);
        let header = |line: &str| {
            line.split_once(':').map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        };
        HttpResponse { status, headers: lines.filter_map(header).collect(), body: body.to_owned() }
    }

    /// The values of a header.
    pub fn header_values(&self, name: &str) -> Vec<&str> {
        let named = self.headers.iter().filter(|(known, _)| known == name);
        named.map(|(_, value)| value.as_str()).collect()
    }

    /// The value of a header that may stand there once.
    ///
    /// # Panics
    /// When it stands there more often.
    pub fn header(&self, name: &str) -> Option<&str> {
        match self.header_values(name)[..] {
            [] => None,
            [value] => Some(value),
            _ => panic!("{name} more than once in {self:?}"),
        }
    }
}

/// The answer to a request, read until the server closes.
pub async fn send_request(address: SocketAddr, text: &str) -> HttpResponse {
    HttpResponse::parse(&send_raw(address, text.as_bytes()).await)
}

/// The answer to a GET with these header lines besides, each with its end.
pub async fn get_with_headers(address: SocketAddr, path: &str, extra_headers: &str) -> HttpResponse {
    send_request(address, &format!("GET {path} HTTP/1.1\r\n{extra_headers}\r\n")).await
}

/// The head of the answer to a request; the line stays open behind it.
pub async fn request_head(address: SocketAddr, text: &str) -> (RawWebSocket, HttpResponse) {
    let mut socket = RawWebSocket::connect(address).await;
    socket.write(text.as_bytes()).await;
    let head = socket.read_head().await;
    (socket, HttpResponse::parse(&head))
}
