//! The life of a connection, from the first attempt to the last word.

use noughts_protocol::wire::Request;
use tokio::sync::mpsc;

use super::{Ended, News, Options};

pub(super) async fn run(_options: Options, news: mpsc::Sender<News>, _requests: mpsc::Receiver<Request>) {
    if news.send(News::Ended(Ended::Closed)).await.is_err() {
        tracing::debug!("nobody waits for the end");
    }
}
