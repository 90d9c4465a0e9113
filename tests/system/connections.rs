//! Connections: frames, limits, cut connections, and seats resumed on a new connection.

mod bad_connections;
mod connection_limits;
mod dead_network;
mod edge_cases;
mod frames;
mod http;
mod metrics;
mod page;
mod resume;
mod seat_takeovers;
mod trusted_proxies;
