//! Many concurrent connections, slow connections, and the resources that they leave behind.

mod amplification;
mod handshakes;
mod non_reading_clients;
mod pushed_bytes;
mod resource_leaks;
mod slow_readers;
