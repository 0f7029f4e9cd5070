//! A small HTTP server on loopback that answers as a test tells it to, and remembers what it was
//! asked.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

/// A request that arrived.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: String,
    pub(crate) body: Vec<u8>,
}

pub(crate) enum Answer {
    Whole {
        status: u16,
        headers: String,
        body: Vec<u8>,
    },
    /// The connection ends in the middle of the body.
    Cut,
    /// Nothing comes for so long, then the connection ends.
    Silence(Duration),
}

type Handler = dyn Fn(&Asked) -> Answer + Send + Sync;

pub(crate) struct Stub {
    address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Asked {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }

    /// The text of the last message, in any of the three formats.
    pub(crate) fn question(&self) -> String {
        let body = self.json();
        let messages = body["messages"].as_array().or(body["contents"].as_array()).expect("messages").clone();
        let last = messages.last().expect("a message");
        last["content"].as_str().or(last["parts"][0]["text"].as_str()).expect("a text").to_owned()
    }
}

impl Answer {
    pub(crate) fn ok(body: &Value) -> Self {
        Self::Whole { status: 200, headers: String::new(), body: body.to_string().into_bytes() }
    }

    pub(crate) fn error(status: u16, headers: &str, message: &str) -> Self {
        let body = json!({"error": {"message": message, "type": "error"}}).to_string().into_bytes();
        Self::Whole { status, headers: headers.to_owned(), body }
    }
}

/// A chat completion.
pub(crate) fn chat(text: &str, finish: &str) -> Answer {
    Answer::ok(&chat_body(text, finish))
}

pub(crate) fn chat_body(text: &str, finish: &str) -> Value {
    json!({"id": "chat-1", "model": "stub-1", "choices": [{"message": {"content": text}, "finish_reason": finish}],
           "usage": {"prompt_tokens": 100, "completion_tokens": 10}})
}

impl Stub {
    pub(crate) fn start(handler: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (log, handler): (_, Arc<Handler>) = (Arc::clone(&asked), Arc::new(handler));
        // Serves until the test process ends.
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, handler) = (Arc::clone(&log), Arc::clone(&handler));
                thread::spawn(move || serve(&stream, &log, &*handler));
            }
        });
        Self { address, asked }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("not poisoned").clone()
    }

    pub(crate) fn n_asked(&self) -> usize {
        self.asked.lock().expect("not poisoned").len()
    }
}

fn serve(stream: &TcpStream, log: &Mutex<Vec<Asked>>, handler: &Handler) {
    let _ = stream.set_nodelay(true);
    let mut reader = BufReader::new(stream);
    while let Some(asked) = read(&mut reader) {
        log.lock().expect("not poisoned").push(asked.clone());
        let mut out = stream;
        let result = match handler(&asked) {
            Answer::Whole { status, headers, body } => {
                let head = format!(
                    "HTTP/1.1 {status} S\r\ncontent-length: {}\r\ndate: Sat, 31 Jan 2026 12:00:00 GMT\r\n\
                     x-request-id: req-7\r\n{headers}\r\n",
                    body.len()
                );
                out.write_all(&[head.as_bytes(), &body].concat())
            }
            Answer::Cut => {
                let _ = out.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"choices\": [");
                return;
            }
            Answer::Silence(time) => {
                thread::sleep(time);
                return;
            }
        };
        if result.is_err() {
            return;
        }
    }
}

fn read(reader: &mut impl BufRead) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|n| *n > 0)?;
    let mut words = line.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = String::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|n| *n > 0)?;
        if line == "\r\n" {
            break;
        }
        headers.push_str(&line);
    }
    let length = headers.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Asked { method, path, headers, body })
}
