//! Rooms: pairing, seats, whole games, rejects, absence and spectators.

mod absence;
mod features;
mod identities;
mod lobby;
mod pairing;
mod party_keys;
mod phrases;
mod private_rooms;
mod rejections;
mod room_limits;
mod spectators;
mod substitutes;
mod whole_games;
