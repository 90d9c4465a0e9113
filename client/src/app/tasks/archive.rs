//! Questions to servers about finished games. Each question has a connection of its own, so that it can be asked on any
//! screen.

use std::time::Duration;

use noughts_protocol::wire::{
    Feature, FeatureSet, GamesFilter, Message, Reject, RejectCode, RequestBody, SessionRequest,
};
use noughts_protocol::{Identity, IdentitySecret, Name, PlayerKind};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::connection::server_url::ServerUrl;
use crate::connection::{ConnectionEvent, ConnectionHandle, ConnectionOptions, RetryPolicy};
use crate::facts::archive::{ArchiveAnswer, ArchiveFailure, ArchiveQuestion};
use crate::update::Msg;

/// Time limit for an answer, including the connection.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(8);
/// Delay before the second try if a reject names no `wait_ms`. Each further delay is longer by this time.
const RETRY_DELAY: Duration = Duration::from_millis(300);
const MAX_TRIES: u32 = 5;

/// The questions without an answer.
#[derive(Debug, Default)]
pub(in crate::app) struct ArchiveTask(JoinSet<Msg>);

impl ArchiveTask {
    pub(in crate::app) fn ask(
        &mut self,
        server: ServerUrl,
        player: (Name, Option<IdentitySecret>),
        kind: PlayerKind,
        question: ArchiveQuestion,
    ) {
        let is_guest = player.1.is_none();
        let options = ConnectionOptions::for_player(
            server.clone(),
            player,
            kind,
            RetryPolicy::Never,
            // The player is connected already, and counts once.
            FeatureSet::from_iter([Feature::Second]),
        );
        self.0.spawn(async move {
            let answer = if is_guest && question == ArchiveQuestion::OwnGames {
                Ok(ArchiveAnswer::OwnGames(Vec::new(), None))
            } else {
                ask_once(options, question).await
            };
            Msg::ArchiveAnswered {
                server,
                question,
                answer,
            }
        });
    }

    /// Waits for the next answer; without a question, waits forever. Cancel safe.
    pub(in crate::app) async fn next(&mut self) -> Msg {
        loop {
            match self.0.join_next().await {
                Some(Ok(answered)) => return answered,
                Some(Err(error)) => tracing::error!(%error, "question about finished games failed"),
                None => std::future::pending().await,
            }
        }
    }
}

async fn ask_once(
    options: ConnectionOptions,
    question: ArchiveQuestion,
) -> Result<ArchiveAnswer, ArchiveFailure> {
    let mut connection = ConnectionHandle::open(options);
    let answer = timeout(ANSWER_TIMEOUT, converse(&mut connection, question)).await;
    connection.close().await;
    answer.unwrap_or(Err(ArchiveFailure::NoAnswer))
}

/// Sends the question once the server has accepted the connection, and again while the server is busy.
async fn converse(
    connection: &mut ConnectionHandle,
    question: ArchiveQuestion,
) -> Result<ArchiveAnswer, ArchiveFailure> {
    let request = RequestBody::Session(match question {
        ArchiveQuestion::OwnGames => SessionRequest::Games(GamesFilter::default()),
        ArchiveQuestion::Profile(of) => SessionRequest::Profile { of: Some(of) },
        ArchiveQuestion::Game(game) => SessionRequest::Game { game },
    });
    let mut own: Option<Identity> = None;
    let mut tries = 0;
    while let Some(event) = connection.next().await {
        match event {
            ConnectionEvent::Connected { welcome } => own = welcome.identity,
            ConnectionEvent::Message(Message::Reject { reject, .. }) if is_busy(&reject) => {
                if tries == MAX_TRIES {
                    return Err(ArchiveFailure::Rejected(reject));
                }
                let wait = reject.wait_ms.map(Duration::from_millis);
                sleep(wait.unwrap_or(RETRY_DELAY * tries)).await;
            }
            ConnectionEvent::Message(message) => match read_answer(message, own) {
                Some(answer) => return answer,
                None => continue,
            },
            ConnectionEvent::Connecting { .. } => continue,
            ConnectionEvent::Disconnected { .. }
            | ConnectionEvent::RequestLost(_)
            | ConnectionEvent::Terminated(_) => break,
        }
        tries += 1;
        if connection.send(request.clone()).is_err() {
            break;
        }
    }
    Err(ArchiveFailure::NoAnswer)
}

fn is_busy(reject: &Reject) -> bool {
    matches!(
        reject.code,
        RejectCode::Busy | RejectCode::Unavailable | RejectCode::RateLimited
    )
}

/// Returns the answer in a message; `None` for other messages.
fn read_answer(
    message: Message,
    own: Option<Identity>,
) -> Option<Result<ArchiveAnswer, ArchiveFailure>> {
    match message {
        Message::Games { games, .. } => Some(Ok(ArchiveAnswer::OwnGames(games, own))),
        Message::Profile { profile, .. } => Some(Ok(ArchiveAnswer::Profile(profile))),
        Message::Game { record, .. } => Some(match record.parse() {
            Ok(record) => Ok(ArchiveAnswer::Game(Box::new(record))),
            Err(error) => {
                tracing::warn!(%error, "cannot read record from server");
                Err(ArchiveFailure::NoAnswer)
            }
        }),
        Message::Reject { reject, .. } => Some(Err(ArchiveFailure::Rejected(reject))),
        Message::Welcome { .. }
        | Message::Done { .. }
        | Message::Snapshot { .. }
        | Message::Events { .. }
        | Message::Notice { .. }
        | Message::Rooms { .. }
        | Message::Lobby { .. }
        | Message::LobbyChanged { .. }
        | Message::Announcement { .. }
        | Message::Restarting { .. } => None,
    }
}
