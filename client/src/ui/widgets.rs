//! Parts of screens that several screens draw.

pub(super) mod board;
pub(super) mod frame;
pub(super) mod game_picture;
pub(super) mod header;
pub(super) mod list_rows;
pub(super) mod move_list;
pub(super) mod open_room;
pub(super) mod panel;
pub(super) mod qr_code;
pub(super) mod question;
pub(super) mod status;
pub(super) mod theme_preview;
