//! The one further request that a reply which does not fit may cost.

use crate::{
    llm::{Message, Reply, Request, Role},
    reply::Reject,
};

/// The same conversation with the faulty reply and what is wrong with it. A request of its own: it
/// has its own key and its own recording.
#[must_use]
pub fn follow_up(reply: &Reply, fault: &Reject) -> Request {
    let form = if reply.request.reply_schema.is_some() {
        "Answer again with the whole JSON object in the form asked for, and with nothing around it."
    } else {
        "Write the whole text again so that it fits, with nothing before or after it."
    };
    let question = format!("That answer cannot be used: {}. {form}", fault.detail.trim_end_matches('.'));
    let mut request = reply.request.clone();
    request.messages.push(Message { role: Role::Assistant, content: reply.text.clone() });
    request.messages.push(Message { role: Role::User, content: question });
    request
}
