//! Facts that the program reports: plain data, worded by `i18n` and written as JSON by `ui::json`.
//!
//! A fact is complete in itself and holds no text in any language. This module depends neither on the model nor on
//! the texts, so both can use it.

pub(crate) mod doctor_report;
mod engine_evaluation;
mod exit;
mod form_field;
mod host_error;
mod menu;
mod notification;
mod pending_request;
mod player_ref;
mod query_answer;
mod unavailable;

pub(crate) use engine_evaluation::EngineEvaluation;
pub use exit::Exit;
pub(crate) use form_field::{FieldId, FormField, FormFieldError, FormKind};
pub(crate) use host_error::HostError;
pub(crate) use menu::{Confirmation, LeaveEffect, MenuItem};
pub(crate) use notification::Notification;
pub(crate) use pending_request::PendingRequest;
pub(crate) use player_ref::{NextMove, PlayerRef};
pub(crate) use query_answer::{QueryAnswer, ScanLabel};
pub(crate) use unavailable::Unavailable;
