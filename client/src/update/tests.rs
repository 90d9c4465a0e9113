//! Tables for `update`: what is pressed, typed or received, and what comes of it.

use crate::engine::Level;
use crate::input::DigitOrder;
use crate::model::Settings;
use crate::server_url::ServerUrl;

pub(crate) fn settings() -> Settings {
    Settings {
        server: ServerUrl::local(),
        name: "Ann".parse().unwrap(),
        rules: "3x3:3".parse().unwrap(),
        clock: None,
        seat: None,
        level: Level::Easy,
        keys: DigitOrder::Reading,
    }
}
