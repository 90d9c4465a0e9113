//! Trusted proxies: the PROXY protocol, and the headers that name the client.

pub(super) mod client_address;
pub(super) mod proxy_protocol;
