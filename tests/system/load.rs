//! Many connections at once, slow ones, and the resources that they leave behind.

mod amplification;
mod handshakes;
mod non_reading_clients;
mod resource_leaks;
mod slow_readers;
mod spectator_bytes;
