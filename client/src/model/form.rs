//! Fields to fill in, and what they come to. Line mode asks the same fields one after the other.

use noughts_protocol::clock::TimeControlError;
use noughts_protocol::player::NameError;
use noughts_protocol::{Name, Rules, RulesError, Seat, TimeControl};

use super::{Edit, Goal, Settings};
use crate::engine::Level;
use crate::input::DigitOrder;
use crate::local::{Lot, Setup, SideSpec};
use crate::server_url::{Invite, InviteError, ServerUrl, ServerUrlError};

/// What the form is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be paired with anyone.
    Quick,
    /// To open a room for a friend.
    Private,
    /// To join by a code.
    Join,
    /// To play on this terminal.
    Local,
    /// To play a bot on this terminal.
    Bot,
}

/// Which field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldId {
    Server,
    Name,
    Rules,
    Clock,
    Seat,
    Invite,
    /// The two who play on this terminal.
    First,
    Second,
    /// Which of them has X.
    Lot,
    Keys,
}

/// A field: what stands in it, and what may be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Which.
    pub id: FieldId,
    /// What stands in it.
    pub edit: Edit,
    /// What the arrow keys go through.
    pub options: Vec<String>,
    /// Whether other texts than the options may be typed.
    pub free: bool,
}

/// Why a field's text will not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldError {
    Server(ServerUrlError),
    Name(NameError),
    Rules(RulesError),
    Clock(TimeControlError),
    Invite(InviteError),
    Level,
    Option,
}

/// Fields, one of which is being filled in.
#[derive(Clone, Debug)]
pub struct Form {
    /// What for.
    pub purpose: Purpose,
    /// The fields from the top.
    pub fields: Vec<Field>,
    /// The field that is being filled in.
    pub at: usize,
    /// What was wrong with it.
    pub error: Option<FieldError>,
}

/// What a form comes to.
#[derive(Clone, Debug)]
pub enum Plan {
    /// To go to a server.
    Online(ServerUrl, Name, Goal),
    /// To play here.
    Here(Setup),
}

/// The clocks to choose from; the first is none.
const CLOCKS: &[&str] = &["none", "1+0", "3+2", "5+3", "10+5", "30+0"];
const SEATS: &[&str] = &["random", "X", "O"];
const LOTS: &[&str] = &["first", "second", "random"];

impl Form {
    /// The fields for a purpose, filled in with what the player has chosen before.
    pub fn new(purpose: Purpose, settings: &Settings) -> Form {
        let ids: &[FieldId] = match purpose {
            Purpose::Quick | Purpose::Private => {
                &[FieldId::Rules, FieldId::Clock, FieldId::Seat, FieldId::Name, FieldId::Server]
            }
            Purpose::Join => &[FieldId::Invite, FieldId::Name, FieldId::Server],
            Purpose::Local | Purpose::Bot => {
                &[FieldId::Rules, FieldId::First, FieldId::Second, FieldId::Lot, FieldId::Keys]
            }
        };
        let fields = ids.iter().map(|&id| field(id, purpose, settings)).collect();
        Form { purpose, fields, at: 0, error: None }
    }

    /// The field that is being filled in.
    pub fn field(&self) -> &Field {
        &self.fields[self.at]
    }

    /// The same, to be changed.
    pub fn field_mut(&mut self) -> &mut Field {
        &mut self.fields[self.at]
    }

    /// Goes to another field; round the ends.
    pub fn step(&mut self, down: bool) {
        let count = self.fields.len();
        self.at = (self.at + if down { 1 } else { count - 1 }) % count;
    }

    fn text(&self, id: FieldId) -> &str {
        self.fields.iter().find(|field| field.id == id).map_or("", |field| field.edit.text().trim())
    }

    /// What the fields come to; keeps what was chosen for the next form.
    ///
    /// # Errors
    /// The first field that will not do, and why.
    pub fn finish(&self, settings: &mut Settings) -> Result<Plan, (usize, FieldError)> {
        for (place, field) in self.fields.iter().enumerate() {
            field.check().map_err(|error| (place, error))?;
        }
        let mut chosen = settings.clone();
        for field in &self.fields {
            keep(&mut chosen, field.id, field.edit.text().trim());
        }
        let Settings { server, name, rules, clock, seat, .. } = chosen.clone();
        *settings = chosen;
        Ok(match self.purpose {
            Purpose::Quick => Plan::Online(server, name, Goal::Seek { rules, clock, seat }),
            Purpose::Private => {
                Plan::Online(server, name, Goal::Create { rules, clock, seat, public: false, bot: None })
            }
            Purpose::Join => {
                let place = self.fields.iter().position(|field| field.id == FieldId::Invite).unwrap_or(0);
                let invite: Invite =
                    self.text(FieldId::Invite).parse().map_err(|error| (place, FieldError::Invite(error)))?;
                Plan::Online(invite.server.unwrap_or(server), name, Goal::Join(invite.room))
            }
            Purpose::Local | Purpose::Bot => {
                let side = |id, place| {
                    let side: Result<SideSpec, FieldError> = self.text(id).parse();
                    side.map_err(|error| (place, error))
                };
                let sides = [side(FieldId::First, 1)?, side(FieldId::Second, 2)?];
                let (sides, lot) = match self.text(FieldId::Lot) {
                    "second" => {
                        let [first, second] = sides;
                        ([second, first], Lot::AsGiven)
                    }
                    "random" => (sides, Lot::Random),
                    _ => (sides, Lot::AsGiven),
                };
                Plan::Here(Setup { rules, sides, lot })
            }
        })
    }
}

fn field(id: FieldId, purpose: Purpose, settings: &Settings) -> Field {
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<String>>();
    let bots = || Level::ALL.map(|level| SideSpec::Bot(level).to_string());
    let name = settings.name.to_string();
    let (text, options, free) = match id {
        FieldId::Server => (settings.server.to_string(), Vec::new(), true),
        FieldId::Name => (name, Vec::new(), true),
        FieldId::Rules => {
            let text = settings.rules.name().map_or_else(|| settings.rules.to_string(), str::to_owned);
            (text, Rules::NAMED.iter().map(|(name, _)| (*name).to_owned()).collect(), true)
        }
        FieldId::Clock => {
            let text = settings.clock.map_or_else(|| CLOCKS[0].to_owned(), |clock| clock.to_string());
            (text, words(CLOCKS), true)
        }
        FieldId::Seat => {
            let text = settings.seat.map_or_else(|| SEATS[0].to_owned(), |seat| seat.to_string());
            (text, words(SEATS), false)
        }
        FieldId::Invite => (String::new(), Vec::new(), true),
        FieldId::First => (name.clone(), [name].into_iter().chain(bots()).collect(), true),
        FieldId::Second => {
            let friend = crate::words::SECOND_PLAYER.to_owned();
            let text = if purpose == Purpose::Bot {
                SideSpec::Bot(settings.level).to_string()
            } else {
                friend.clone()
            };
            (text, [friend].into_iter().chain(bots()).collect(), true)
        }
        FieldId::Lot => (LOTS[0].to_owned(), words(LOTS), false),
        FieldId::Keys => {
            let options = [DigitOrder::Reading, DigitOrder::Numpad].map(|order| order.as_str().to_owned());
            (settings.keys.as_str().to_owned(), options.into(), false)
        }
    };
    Field { id, edit: Edit::new(text), options, free }
}

/// Keeps the text of a field that was checked.
fn keep(settings: &mut Settings, id: FieldId, text: &str) {
    match id {
        FieldId::Server => settings.server = text.parse().unwrap_or_else(|_| settings.server.clone()),
        FieldId::Name => settings.name = text.parse().unwrap_or_else(|_| settings.name.clone()),
        FieldId::Rules => settings.rules = text.parse().unwrap_or(settings.rules),
        FieldId::Clock => settings.clock = text.parse().ok(),
        FieldId::Seat => settings.seat = text.parse().ok(),
        FieldId::Keys => settings.keys = text.parse().unwrap_or(settings.keys),
        FieldId::First => {
            if let Ok(SideSpec::Person(name)) = text.parse() {
                settings.name = name;
            }
        }
        FieldId::Invite | FieldId::Second | FieldId::Lot => {}
    }
}

impl Field {
    /// Goes to the option before or after the one that stands here; from a typed text, to the first.
    pub fn turn(&mut self, forward: bool) {
        if self.options.is_empty() {
            return;
        }
        let count = self.options.len();
        let place = self.options.iter().position(|option| option == self.edit.text());
        let place = place.map_or(0, |place| (place + if forward { 1 } else { count - 1 }) % count);
        self.edit.set(self.options[place].clone());
    }

    /// Whether the text will do.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self) -> Result<(), FieldError> {
        let text = self.edit.text().trim();
        match self.id {
            FieldId::Server => text.parse::<ServerUrl>().map(drop).map_err(FieldError::Server),
            FieldId::Name => text.parse::<Name>().map(drop).map_err(FieldError::Name),
            FieldId::Rules => text.parse::<Rules>().map(drop).map_err(FieldError::Rules),
            FieldId::Clock if text.eq_ignore_ascii_case(CLOCKS[0]) => Ok(()),
            FieldId::Clock => text.parse::<TimeControl>().map(drop).map_err(FieldError::Clock),
            FieldId::Invite => text.parse::<Invite>().map(drop).map_err(FieldError::Invite),
            FieldId::First | FieldId::Second => text.parse::<SideSpec>().map(drop),
            FieldId::Seat if text.parse::<Seat>().is_ok() => Ok(()),
            FieldId::Seat | FieldId::Lot | FieldId::Keys => {
                let known = self.options.iter().any(|option| option.eq_ignore_ascii_case(text));
                if known { Ok(()) } else { Err(FieldError::Option) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        crate::update::tests::settings()
    }

    fn fill(form: &mut Form, id: FieldId, text: &str) {
        form.fields.iter_mut().find(|field| field.id == id).unwrap().edit.set(text);
    }

    #[test]
    fn a_filled_form_is_a_plan_and_is_remembered() {
        let mut settings = settings();
        let mut form = Form::new(Purpose::Quick, &settings);
        fill(&mut form, FieldId::Rules, "7x6:4+gravity");
        fill(&mut form, FieldId::Clock, "5+3");
        fill(&mut form, FieldId::Seat, "o");
        let Ok(Plan::Online(_, _, Goal::Seek { rules, clock, seat })) = form.finish(&mut settings) else {
            panic!("a plan")
        };
        assert_eq!((rules.name(), clock.is_some(), seat), (Some("connect4"), true, Some(Seat::O)));
        let again = Form::new(Purpose::Private, &settings);
        assert_eq!(again.text(FieldId::Rules), "connect4");
        assert_eq!(again.text(FieldId::Clock), "5+3");
    }

    #[test]
    fn the_first_wrong_field_is_named() {
        let mut settings = settings();
        let mut form = Form::new(Purpose::Quick, &settings);
        fill(&mut form, FieldId::Clock, "fast");
        fill(&mut form, FieldId::Name, "");
        assert!(matches!(form.finish(&mut settings), Err((1, FieldError::Clock(_)))));
        fill(&mut form, FieldId::Clock, "none");
        assert!(matches!(form.finish(&mut settings), Err((3, FieldError::Name(_)))));
    }

    #[test]
    fn options_go_round_and_take_typed_texts_in() {
        let mut field = field(FieldId::Clock, Purpose::Quick, &settings());
        field.turn(false);
        assert_eq!(field.edit.text(), "30+0");
        field.edit.set("7+7");
        field.turn(true);
        assert_eq!(field.edit.text(), "none");
    }

    #[test]
    fn an_invitation_may_name_its_server() {
        let mut settings = settings();
        let mut form = Form::new(Purpose::Join, &settings);
        assert!(matches!(form.finish(&mut settings), Err((0, FieldError::Invite(_)))));
        fill(&mut form, FieldId::Invite, "ws://example.org/ws#k7qf3mzx");
        let Ok(Plan::Online(server, _, Goal::Join(room))) = form.finish(&mut settings) else {
            panic!("a plan")
        };
        assert_eq!((server.host(), room.to_string().as_str()), ("example.org", "k7qf3mzx"));
    }
}
