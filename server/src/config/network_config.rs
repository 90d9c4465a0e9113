//! Flags of the network: permitted clients, and the address that other machines use.

use std::net::IpAddr;

use clap::Args;
use ipnet::IpNet;

use super::PublicUrl;

/// Permitted origins, host names and proxies, and the public address.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Network")]
pub struct NetworkConfig {
    /// Origin of a web page that may connect, as a browser sends it (`https://play.example.org`); may be repeated.
    /// Same-origin and local pages are always allowed.
    #[arg(long, value_name = "ORIGIN")]
    pub allow_origin: Vec<String>,
    /// Accepted Host name; may be repeated. Always accepted: addresses, `localhost` and, beyond loopback, local names.
    /// With TLS the default is any name.
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
    /// Network of proxies that name their clients in a PROXY header, `Forwarded` or `X-Forwarded-For`; may be repeated.
    #[arg(long, value_name = "CIDR", value_parser = parse_network)]
    pub trusted_proxy: Vec<IpNet>,
    /// WebSocket address at which other machines reach the server (`wss://games.example.org/ws`), for invitations. Default:
    /// the address that the server prints, unless it listens on loopback only.
    #[arg(long, value_name = "URL", env = "NOUGHTS_PUBLIC_URL")]
    pub public_url: Option<PublicUrl>,
}

/// Parses a network, or an address as the network that contains only it.
fn parse_network(text: &str) -> Result<IpNet, ipnet::AddrParseError> {
    text.parse().or_else(|error| {
        text.parse()
            .map(|address: IpAddr| address.into())
            .map_err(|_| error)
    })
}
