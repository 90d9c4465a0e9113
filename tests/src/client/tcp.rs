//! TCP connections.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::{TcpSocket, TcpStream};

use crate::wait::with_timeout;

/// Opens a TCP connection from a loopback address.
pub(crate) async fn connect_from(from: Ipv4Addr, address: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    let from = SocketAddr::new(from.into(), 0);
    socket.bind(from).expect("an address of loopback");
    let stream = with_timeout("a connection", socket.connect(address)).await;
    stream.expect("the server listens")
}
