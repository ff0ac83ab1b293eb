//! The calls of the page, answered natively, and compared with the command.

mod command;
mod stop;

use std::sync::Mutex;

use serde_json::{Value, json};
use srfm_web::{Page, Session};

/// A page that keeps the events.
#[derive(Default)]
pub struct Listener(Mutex<Vec<Value>>);

impl Page for Listener {
    fn tell(&self, event: &str) {
        self.0.lock().unwrap().push(serde_json::from_str(event).unwrap());
    }
}

impl Listener {
    /// The events of a kind.
    pub fn heard(&self, kind: &str) -> Vec<Value> {
        self.0.lock().unwrap().iter().filter(|event| event["event"] == kind).cloned().collect()
    }
}

/// Asks a session. The answer is the value, or the sentence of the problem.
pub fn ask(session: &mut Session, call: Value, page: &dyn Page) -> Result<Value, String> {
    let answer: Value = serde_json::from_str(&session.answer(call.to_string().as_bytes(), page)).unwrap();
    match &answer["error"] {
        Value::String(problem) => Err(problem.clone()),
        _ => Ok(answer["ok"].clone()),
    }
}

/// A session with a file of these bytes, whose name is a path.
pub fn opened(file: &str, bytes: &[u8]) -> Session {
    let mut session = Session::new();
    session.open(bytes.to_vec());
    ask(&mut session, json!({ "call": "columns", "file": file }), &Listener::default()).unwrap();
    session
}

/// The rows of the built-in example.
pub fn example() -> String {
    let example = ask(&mut Session::new(), json!({ "call": "example" }), &Listener::default()).unwrap();
    example["text"].as_str().unwrap().to_owned()
}

/// The bytes of the model of an answer.
pub fn model(found: &Value) -> Vec<u8> {
    found["bytes"].as_array().unwrap().iter().map(|byte| byte.as_u64().unwrap() as u8).collect()
}
