//! Runs the effects of an update.

use noughts_protocol::wire::FeatureSet;

use super::tasks::{connect, send_request};
use super::{App, MAX_BOTS, subcommands};
use crate::bot;
use crate::facts::Exit;
use crate::io::last_choices::LastChoices;
use crate::settings::effective;
use crate::update::{self, Effect, GameEffect, Msg};

impl App {
    pub(super) async fn run_effects(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            if let Some(reply) = self.run_effect(effect).await {
                // The recursion ends, because a reply leads only to a notification or to the connection of a resumed
                // game.
                let effects = update::update(&mut self.model, reply);
                Box::pin(self.run_effects(effects)).await;
            }
        }
    }

    /// Runs an effect. Returns the message with its result, if the result is immediate.
    async fn run_effect(&mut self, effect: Effect) -> Option<Msg> {
        match effect {
            Effect::Notify(notification) => {
                self.notify(None, &notification);
                None
            }
            Effect::Connect => {
                if let Some(session) = &self.model.session {
                    let (server, name) = (session.server.clone(), session.name.clone());
                    let player = (name, self.identity.secret_for(&server));
                    self.connection = Some(connect(
                        server,
                        player,
                        self.player_kind,
                        FeatureSet::default(),
                    ));
                }
                None
            }
            Effect::Send { body, request } => send_request(self.connection.as_mut(), body, request),
            Effect::ForGame { index, effect } => {
                self.run_watched_game_effect(index, effect)
                    .map(|msg| Msg::ForGame {
                        index,
                        msg: Box::new(msg),
                    })
            }
            // Only the model of a watched game returns this effect, and `update` handles it.
            Effect::ReturnToMultiWatch => None,
            Effect::Disconnect => {
                if let Some(connection) = self.connection.take() {
                    self.closing.spawn(connection.close());
                }
                for bot in self.bots.drain(..) {
                    self.closing.spawn(bot.stop());
                }
                self.save_task.release();
                None
            }
            Effect::StartServer(port) => {
                self.host_task.start(port.get());
                None
            }
            Effect::StopServer => {
                self.host_task.stop();
                None
            }
            Effect::InviteBot {
                server,
                room,
                level,
            } => {
                if self.bots.len() >= MAX_BOTS {
                    self.bots.remove(0);
                }
                self.bots.push(bot::spawn_in_room(server, room, level));
                None
            }
            Effect::Search {
                search_id,
                position,
                engine,
                seed,
            } => {
                self.engine_task.start(search_id, position, engine, seed);
                None
            }
            Effect::StopSearch => {
                self.engine_task.stop();
                None
            }
            Effect::Analyze(request) => {
                self.analysis_task.start(request);
                None
            }
            Effect::SaveFile { path, text } => {
                let result = subcommands::save(&path, text).await;
                Some(Msg::FileSaved { path, result })
            }
            Effect::ChangeSettings(changes) => Some(Msg::SettingsChanged(
                effective::save_changes(self.settings_path.clone(), changes).await,
            )),
            Effect::Copy(text) => {
                self.output.copy(&text);
                None
            }
            Effect::RingBell(bell) => {
                self.output.ring(bell, &self.model);
                None
            }
            Effect::ListSavedGames => Some(Msg::SavedGamesListed(self.save_task.list().await)),
            Effect::SaveLastGame(game) => {
                let change = |choices: &mut LastChoices| choices.game = Some(*game);
                self.save_task.change_choices(change).await;
                None
            }
            Effect::SavePuzzleProgress(progress) => {
                let change = move |choices: &mut LastChoices| {
                    // A program that has run since yesterday must not overwrite the progress of today.
                    if choices.puzzle.is_none_or(|known| known.day <= progress.day) {
                        choices.puzzle = Some(progress);
                    }
                };
                self.save_task.change_choices(change).await;
                None
            }
            Effect::LockSavedGame(game) => Some(Msg::SavedGameLocked(
                self.save_task.lock_game(*game).await.map(Box::new),
            )),
            Effect::SaveGame(game) => self
                .save_task
                .save(*game)
                .await
                .err()
                .map(Msg::SaveGameFailed),
            Effect::DeleteSavedGame => {
                self.save_task.delete().await;
                None
            }
            Effect::KeepGame(game) => self.own_games.keep(*game).await.map(Msg::GameKept),
            Effect::ListOwnGames => Some(Msg::OwnGamesListed(self.own_games.list().await)),
            Effect::AskArchive { server, question } => {
                let name = self.model.settings.name.clone();
                let player = (name, self.identity.secret_for(&server));
                self.archive_task
                    .ask(server, player, self.player_kind, question);
                None
            }
            Effect::DeleteOwnGame(path) => {
                Some(Msg::OwnGamesListed(self.own_games.delete(path).await))
            }
            Effect::Suspend => {
                if let Err(error) = self.suspend().await {
                    tracing::warn!(%error, "cannot restore raw mode after suspension");
                    self.exit = Some(Exit::Signal(1));
                }
                None
            }
            Effect::Redraw => {
                self.output.redraw();
                None
            }
            Effect::Quit(exit) => {
                self.exit = Some(exit);
                None
            }
        }
    }

    /// Runs an effect of a watched game.
    fn run_watched_game_effect(&mut self, index: usize, effect: GameEffect) -> Option<Msg> {
        match effect {
            GameEffect::Notify { room, notification } => {
                self.notify(Some(&room), &notification);
                None
            }
            GameEffect::Connect { server, name } => {
                let wants = self.model.features_of_watched_game(index);
                self.watch_links.insert(
                    index,
                    connect(server, (name, None), self.player_kind, wants),
                );
                None
            }
            GameEffect::Send { body, request } => {
                send_request(self.watch_links.get(index), body, request)
            }
            GameEffect::Disconnect => {
                if let Some(connection) = self.watch_links.take(index) {
                    self.closing.spawn(connection.close());
                }
                None
            }
        }
    }
}
