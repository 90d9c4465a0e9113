//! The tools: their names, descriptions and arguments, and the parsed calls.

use std::borrow::Cow;
use std::time::Duration;

use noughts_protocol::wire::{Claim, Phrase};
use noughts_protocol::{Offer, Seat};
use rmcp::handler::server::common::schema_for_input;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use rmcp::schemars::{self, JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::tool_result::ToolError;
use crate::connection::server_url::{Invite, ServerUrl};
use crate::engine::Level;
use crate::facts::{FormFieldError, Notification};
use crate::i18n::Texts;
use crate::model::SessionGoal;
use crate::settings::{Setting, Settings};

/// Maximum time that a call waits, in seconds. Many assistants give up after a minute.
const MAX_WAIT_SECONDS: u64 = 50;
const DEFAULT_WAIT: Wait = Wait(Duration::from_secs(30));
/// Maximum length of a cell in bytes.
const MAX_CELL_BYTES: usize = 20;

/// Time that a call waits for the opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u64")]
pub(super) struct Wait(pub Duration);

impl Default for Wait {
    fn default() -> Wait {
        DEFAULT_WAIT
    }
}

impl TryFrom<u64> for Wait {
    type Error = String;

    fn try_from(seconds: u64) -> Result<Wait, String> {
        if seconds > MAX_WAIT_SECONDS {
            return Err(format!("wait_seconds is at most {MAX_WAIT_SECONDS}"));
        }
        Ok(Wait(Duration::from_secs(seconds)))
    }
}

impl JsonSchema for Wait {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Wait".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "integer",
            "minimum": 0,
            "maximum": MAX_WAIT_SECONDS,
            "default": DEFAULT_WAIT.0.as_secs(),
        })
    }
}

/// Returns the schema of a string with these values.
fn one_of(values: impl IntoIterator<Item = impl Serialize>) -> Schema {
    let values: Vec<Value> = values.into_iter().map(|value| json!(value)).collect();
    json_schema!({ "type": "string", "enum": values })
}

fn seats(_: &mut SchemaGenerator) -> Schema {
    one_of(Seat::ALL)
}

fn levels(_: &mut SchemaGenerator) -> Schema {
    one_of(Level::ALL.map(Level::as_str))
}

fn offers(_: &mut SchemaGenerator) -> Schema {
    one_of(Offer::ALL)
}

fn claims(_: &mut SchemaGenerator) -> Schema {
    one_of([Claim::Win, Claim::Draw])
}

fn phrases(_: &mut SchemaGenerator) -> Schema {
    one_of(Phrase::ALL)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum OpponentChoice {
    #[default]
    Anyone,
    Friend,
    Bot,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum OfferAction {
    #[default]
    Make,
    Accept,
    Decline,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct SeekArguments {
    /// Game: a name such as tictactoe, connect4, gomoku or qubic, or a size and a line length such as 15x15:5 or
    /// 7x6:4+gravity. Default: the game in the settings of the user, or else tictactoe.
    #[schemars(with = "String", length(max = 40))]
    rules: Option<String>,
    /// Time of each side: minutes and seconds per move such as 5+3, or none. An assistant needs some seconds per move.
    /// Default: the clock in the settings of the user, or else none.
    #[schemars(with = "String", length(max = 20))]
    clock: Option<String>,
    /// Seat of the player. X moves first. Default: random.
    #[schemars(schema_with = "seats")]
    seat: Option<Seat>,
    /// anyone: a person or a bot that looks for the same game and accepts bots. Others are not paired with you, but may
    /// choose you in the lobby. friend: a private room; the result has the code that the friend needs to join. bot: a
    /// bot of this program.
    opponent: OpponentChoice,
    /// Strength of the bot. Only for the opponent bot.
    #[schemars(schema_with = "levels")]
    level: Option<String>,
    /// Code or ADDRESS#CODE of a room to join, from an invitation. Excludes rules, clock, seat, opponent and level.
    #[schemars(with = "String", length(max = 300))]
    join: Option<String>,
    /// Maximum time to wait for an opponent and for the player's turn, in seconds.
    pub(super) wait_seconds: Wait,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct StateArguments {
    /// Maximum time to wait until the player can act, in seconds; 0 returns the state immediately.
    pub(super) wait_seconds: Wait,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MoveArguments {
    /// A free cell, such as b2: the letter of the column and the number of the row; b2-3 is in layer 3.
    #[schemars(length(max = 20))]
    cell: String,
    /// Maximum time to wait for the opponent's move after this move, in seconds.
    #[serde(default)]
    wait_seconds: Wait,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OfferArguments {
    #[schemars(schema_with = "offers")]
    offer: Offer,
    /// make: offers this to the opponent. accept, decline: responds to the opponent's offer.
    #[serde(default)]
    action: OfferAction,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ClaimArguments {
    /// How the game ends.
    #[schemars(schema_with = "claims")]
    result: Claim,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SayArguments {
    #[schemars(schema_with = "phrases")]
    phrase: Phrase,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ReviewArguments {
    /// Maximum time to wait for the evaluations, in seconds. After that time, a further call continues to wait.
    pub(super) wait_seconds: Wait,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LeaveArguments {}

/// A command for the game in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum GameCommand {
    Move(String),
    Offer(Offer),
    Accept(Offer),
    Decline(Offer),
    Claim(Claim),
    Say(Phrase),
}

impl GameCommand {
    /// Returns the command as JSON mode reads it.
    pub(super) fn line(&self) -> String {
        match self {
            GameCommand::Move(cell) => json!({ "do": "move", "cell": cell }),
            GameCommand::Offer(offer) => json!({ "do": "offer", "offer": offer }),
            GameCommand::Accept(offer) => json!({ "do": "accept", "offer": offer }),
            GameCommand::Decline(offer) => json!({ "do": "decline", "offer": offer }),
            GameCommand::Claim(result) => json!({ "do": "claim", "result": result }),
            GameCommand::Say(phrase) => json!({ "do": "say", "phrase": phrase }),
        }
        .to_string()
    }

    /// Returns whether an event says that the command has had its effect.
    pub(super) fn is_done_by(&self, event: &Notification) -> bool {
        let is_over = matches!(event, Notification::Over { .. });
        let is_agreed = is_over
            || matches!(
                event,
                Notification::TakenBack { .. } | Notification::Started { .. }
            );
        match self {
            GameCommand::Move(_) => matches!(event, Notification::Moved { who, .. } if who.you),
            GameCommand::Offer(_) => {
                is_agreed || matches!(event, Notification::Offered { who, .. } if who.you)
            }
            // Without an offer of the opponent, the acceptance of a rematch is an offer.
            GameCommand::Accept(_) => {
                is_agreed || matches!(event, Notification::Offered { who, .. } if who.you)
            }
            GameCommand::Decline(_) => {
                matches!(event, Notification::Declined { who, .. } if who.you)
            }
            GameCommand::Claim(_) => is_over,
            GameCommand::Say(_) => matches!(event, Notification::Phrase { who, .. } if who.you),
        }
    }
}

/// A call of a tool with valid arguments.
#[derive(Debug)]
pub(super) enum ToolCall {
    Seek(SeekArguments),
    State(StateArguments),
    /// A command, and how long to wait for the opponent after it.
    Command(GameCommand, Wait),
    Review(ReviewArguments),
    Leave,
}

impl ToolCall {
    /// Parses a call. Returns `None` if no tool has the name.
    ///
    /// # Errors
    /// Returns an error if the arguments do not fit the schema of the tool.
    pub(super) fn parse(name: &str, arguments: JsonObject) -> Option<Result<ToolCall, ToolError>> {
        Some(match name {
            "seek" => read(arguments).map(ToolCall::Seek),
            "state" => read(arguments).map(ToolCall::State),
            "move" => read(arguments).and_then(|MoveArguments { cell, wait_seconds }| {
                if cell.len() > MAX_CELL_BYTES {
                    let reason = format!("cell has at most {MAX_CELL_BYTES} characters");
                    return Err(ToolError::BadArgument(reason));
                }
                Ok(ToolCall::Command(GameCommand::Move(cell), wait_seconds))
            }),
            "offer" => read(arguments).map(|OfferArguments { offer, action }| {
                ToolCall::command(match action {
                    OfferAction::Make => GameCommand::Offer(offer),
                    OfferAction::Accept => GameCommand::Accept(offer),
                    OfferAction::Decline => GameCommand::Decline(offer),
                })
            }),
            "claim" => read(arguments)
                .map(|ClaimArguments { result }| ToolCall::command(GameCommand::Claim(result))),
            "say" => read(arguments)
                .map(|SayArguments { phrase }| ToolCall::command(GameCommand::Say(phrase))),
            "review" => read(arguments).map(ToolCall::Review),
            "leave" => read(arguments).map(|LeaveArguments {}| ToolCall::Leave),
            _ => return None,
        })
    }

    /// A command with a result that is returned without waiting for the opponent.
    fn command(command: GameCommand) -> ToolCall {
        ToolCall::Command(command, Wait(Duration::ZERO))
    }
}

fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, ToolError> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| ToolError::BadArgument(error.to_string()))
}

impl SeekArguments {
    /// Returns the server and the goal of the session. `settings` has the values of missing arguments.
    ///
    /// # Errors
    /// Returns an error if an argument is invalid, or if two arguments exclude each other.
    pub(super) fn goal(
        &self,
        mut settings: Settings,
        server: ServerUrl,
    ) -> Result<(ServerUrl, SessionGoal), ToolError> {
        let bad = |reason: &str| Err(ToolError::BadArgument(reason.to_owned()));
        let has_game = self.rules.is_some() || self.clock.is_some() || self.seat.is_some();
        let is_bot = self.opponent == OpponentChoice::Bot;
        if self.level.is_some() && !is_bot {
            return bad("level is only for the opponent bot");
        }
        if let Some(join) = &self.join {
            if has_game || self.opponent != OpponentChoice::Anyone {
                return bad("join excludes rules, clock, seat and opponent: the room has them");
            }
            let invite = join.parse::<Invite>();
            let invite = invite.map_err(|error| bad_field(FormFieldError::BadInvite(error)))?;
            return Ok((
                invite.server.unwrap_or(server),
                SessionGoal::Join(invite.room),
            ));
        }
        for (setting, value) in [(Setting::Rules, &self.rules), (Setting::Clock, &self.clock)] {
            if let Some(value) = value {
                (setting.entry().set)(&mut settings, value).map_err(bad_field)?;
            }
        }
        let (rules, clock, seat) = (settings.rules, settings.clock, self.seat);
        let level = self.level.as_deref().map(str::parse::<Level>).transpose();
        let level = level.map_err(|_| bad_field(FormFieldError::BadLevel))?;
        let bot = is_bot.then(|| level.unwrap_or_default());
        let goal = match self.opponent {
            OpponentChoice::Anyone => SessionGoal::Seek {
                rules,
                clock,
                seat,
                opponents: None,
            },
            OpponentChoice::Friend | OpponentChoice::Bot => SessionGoal::Create {
                rules,
                clock,
                seat,
                public: false,
                bot,
            },
        };
        Ok((server, goal))
    }
}

fn bad_field(error: FormFieldError) -> ToolError {
    ToolError::BadArgument(Texts::default().field_error(error))
}

/// Returns the tools with the schemas of their arguments.
pub(super) fn tools() -> Vec<Tool> {
    vec![
        tool::<SeekArguments>(
            "seek",
            "Looks for a game of k in a row on the server, opens a room for a friend, plays a bot, or joins a room. Waits \
             until it is your turn, or until the time is over; then call state to continue to wait. Leaves a finished game.",
            ToolAnnotations::new().destructive(false),
        ),
        tool::<StateArguments>(
            "state",
            "Returns the board, the free cells, the clocks, the offers and what has happened. Waits until you can act: \
             your turn, an offer, an absent opponent, or the end of the game. Do not poll.",
            ToolAnnotations::new().read_only(true),
        ),
        tool::<MoveArguments>(
            "move",
            "Plays a cell on your turn, and waits for the opponent's move.",
            ToolAnnotations::new().destructive(false),
        ),
        tool::<OfferArguments>(
            "offer",
            "Offers a draw or a takeback during the game, or a rematch after the game, or responds to such an offer of \
             the opponent. A move declines an open offer.",
            ToolAnnotations::new(),
        ),
        tool::<ClaimArguments>(
            "claim",
            "Claims the game of an opponent who has been absent for some time: a win or a draw. The state says in \
             can_claim whether this is possible.",
            ToolAnnotations::new(),
        ),
        tool::<SayArguments>(
            "say",
            "Says a preset phrase to the opponent. Players cannot write other texts.",
            ToolAnnotations::new().destructive(false),
        ),
        tool::<ReviewArguments>(
            "review",
            "Evaluates each move of the last finished game with the engine of this program: which moves were mistakes, \
             what they cost, and which moves were best. Not available during a game, because that would be unfair.",
            ToolAnnotations::new().read_only(true),
        ),
        tool::<LeaveArguments>(
            "leave",
            "Leaves the game or stops looking for one. Resigns a game in progress.",
            ToolAnnotations::new(),
        ),
    ]
}

fn tool<T: JsonSchema + 'static>(
    name: &'static str,
    description: &'static str,
    annotations: ToolAnnotations,
) -> Tool {
    let schema = schema_for_input::<T>().expect("the arguments are an object");
    let mut schema = JsonObject::clone(&schema);
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(JsonObject::values_mut) {
        let Some(property) = property.as_object_mut() else {
            continue;
        };
        // A missing argument has no value; null is not a string.
        if property.get("default") == Some(&Value::Null) {
            property.remove("default");
        }
        // The lines of a comment are one sentence.
        if let Some(Value::String(description)) = property.get_mut("description") {
            *description = description.replace('\n', " ");
        }
    }
    Tool::new(name, description, schema).with_annotations(annotations)
}
