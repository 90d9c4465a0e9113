//! A program without the feature `cluster` has no nodes.

use crate::lobby::handle::LobbyInbox;
use crate::runtime::context::ServerContext;

/// Parts of a server that is a node of a cluster.
#[derive(Debug)]
pub(crate) enum NoClusterNode {}

impl NoClusterNode {
    pub(crate) async fn start(&mut self, _ctx: &ServerContext) -> usize {
        match *self {}
    }

    pub(crate) fn join_lobby(&mut self, _ctx: &ServerContext, _inbox: LobbyInbox) -> LobbyInbox {
        match *self {}
    }

    pub(crate) async fn run(self, _ctx: ServerContext) {
        match self {}
    }
}
