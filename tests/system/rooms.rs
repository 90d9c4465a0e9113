//! Rooms: pairing, seats, moves, offers, absence and spectators.

mod absence;
mod features;
mod offers;
mod pairing;
mod party_keys;
mod private_rooms;
mod rejections;
mod resignations;
mod room_limits;
mod spectator_rooms;
mod whole_games;
