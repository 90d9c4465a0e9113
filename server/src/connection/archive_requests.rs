//! Requests about finished games: `games`, `game` and `profile`. The reader of finished games responds.

use std::sync::Arc;

use noughts_protocol::wire::{
    GamesFilter, MAX_LISTED_GAMES, Message, PROFILE_GAMES, Reject, RejectCode,
};
use noughts_protocol::{Identity, RequestId};
use tokio::time::timeout;

use super::Connection;
use crate::send_queue::{EncodedFrame, Outgoing};
use crate::store::{ArchiveQuery, ArchiveQueryError, ArchiveResponse};

/// Estimate of the length of a row of a list.
const LISTED_GAME_BYTES: u64 = 300;

impl Connection {
    pub(super) fn on_games(
        &mut self,
        id: RequestId,
        filter: GamesFilter,
        asker: Option<Identity>,
    ) -> Result<(), Reject> {
        let of = player_or_asker(filter.of, asker)?;
        let rows = filter.limit.unwrap_or(MAX_LISTED_GAMES);
        self.query_archive(
            id,
            ArchiveQuery::Games { of, filter, asker },
            u64::from(rows) * LISTED_GAME_BYTES,
        )
    }

    pub(super) fn on_profile(
        &mut self,
        id: RequestId,
        of: Option<Identity>,
        asker: Option<Identity>,
    ) -> Result<(), Reject> {
        let of = player_or_asker(of, asker)?;
        self.query_archive(
            id,
            ArchiveQuery::Profile { of, asker },
            u64::from(PROFILE_GAMES) * LISTED_GAME_BYTES,
        )
    }

    /// Queues a query. Its response is sent when the reader has it.
    pub(super) fn query_archive(
        &mut self,
        id: RequestId,
        query: ArchiveQuery,
        estimated_bytes: u64,
    ) -> Result<(), Reject> {
        self.reserve_reply(estimated_bytes)?;
        let shared = Arc::clone(&self.ctx.shared);
        let reader = shared.event_log.archive_reader();
        let reader = reader.ok_or(RejectCode::NotKept)?;
        let network = self.client_prefix.customer_network();
        let response = reader.query(network, query).map_err(reject_code)?;
        let send_queue = self.send_queue.clone();
        let limit = self.ctx.limits.append_timeout;
        let metrics = Arc::clone(&self.ctx.shared.metrics);
        self.ctx.actors.spawn(async move {
            let response = match timeout(limit, response).await {
                Ok(Ok(response)) => response.map_err(reject_code),
                Ok(Err(_)) | Err(_) => Err(RejectCode::Unavailable),
            };
            let message = response.and_then(|response| to_message(id, response));
            let message = message.unwrap_or_else(|code| {
                metrics.count_reject(code);
                Message::Reject {
                    re: Some(id),
                    reject: code.into(),
                }
            });
            send_queue.send_priced_reply(Outgoing::Text(EncodedFrame::from(&message)));
        });
        Ok(())
    }
}

/// Returns the player that a request names, or the player who asks.
fn player_or_asker(of: Option<Identity>, asker: Option<Identity>) -> Result<Identity, Reject> {
    of.or(asker).ok_or_else(|| {
        Reject::new(RejectCode::BadField)
            .field("of")
            .detail("needed without an identity")
    })
}

fn to_message(re: RequestId, response: ArchiveResponse) -> Result<Message, RejectCode> {
    Ok(match response {
        ArchiveResponse::Games { games, before } => Message::Games { re, games, before },
        ArchiveResponse::Game { game, record } => Message::Game { re, game, record },
        ArchiveResponse::Profile(profile) => Message::Profile { re, profile },
        ArchiveResponse::UnknownGame => return Err(RejectCode::UnknownGame),
        ArchiveResponse::UnknownPlayer => return Err(RejectCode::UnknownPlayer),
    })
}

fn reject_code(error: ArchiveQueryError) -> RejectCode {
    match error {
        ArchiveQueryError::Busy => RejectCode::Busy,
        ArchiveQueryError::Unavailable => RejectCode::Unavailable,
    }
}
