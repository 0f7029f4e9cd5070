//! Answers from recordings: no network, no key, the same bytes for everybody.

use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock},
};

use anyhow::Result;

use super::{Journal, Provider, ProviderError, Reply, Request, journal};
use crate::exit_code::Unavailable;

/// A directory of recordings, one JSON Lines file a stage.
#[derive(Debug)]
pub struct Replay {
    dir: PathBuf,
    stages: Mutex<BTreeMap<String, Option<Arc<Recordings>>>>,
}

#[derive(Debug)]
struct Recordings {
    journal: Journal,
    /// Keys by what a recording is for; made when the first one is missed.
    by_purpose: OnceLock<HashMap<Purpose, String>>,
}

/// What stays the same when a prompt or a setting changes.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Purpose {
    prompt: String,
    row_id: String,
    model: String,
    sample_idx: u32,
}

impl Replay {
    /// # Errors
    /// When `dir` is not a directory.
    pub fn open(dir: &Path) -> Result<Self, Unavailable> {
        if !dir.is_dir() {
            return Err(Unavailable::new(format!("there are no recordings at `{}`", dir.display()))
                .hint("see `recordings` under [models] in `pipeline.toml`"));
        }
        Ok(Self { dir: dir.to_path_buf(), stages: Mutex::new(BTreeMap::new()) })
    }

    fn recordings(&self, stage: &str) -> Result<Option<Arc<Recordings>>> {
        let mut stages = self.stages.lock().expect("no thread panics while it holds the recordings");
        if let Some(recordings) = stages.get(stage) {
            return Ok(recordings.clone());
        }
        let recordings = Journal::open_read_only(&self.dir, stage)?
            .map(|journal| Arc::new(Recordings { journal, by_purpose: OnceLock::new() }));
        stages.insert(stage.to_owned(), recordings.clone());
        Ok(recordings)
    }

    fn reply(&self, request: &Request) -> Result<Result<Reply, String>> {
        let path = journal::path(&self.dir, &request.stage);
        let Some(recordings) = self.recordings(&request.stage)? else {
            return Ok(Err(format!("there is no `{}`", path.display())));
        };
        let key = request.key();
        match recordings.journal.recorded(&key)? {
            Some(reply) if reply.serves(request.sampling.max_tokens) => Ok(Ok(reply)),
            Some(reply) => Ok(Err(format!(
                "the recording in `{}` was cut at {} tokens, {} are asked for now",
                path.display(),
                reply.request.sampling.max_tokens,
                request.sampling.max_tokens
            ))),
            None => Ok(Err(format!("`{}` {}", path.display(), recordings.why_missing(request)?))),
        }
    }
}

impl Provider for Replay {
    fn complete(&self, request: &Request) -> Result<Reply, ProviderError> {
        match self.reply(request) {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(detail)) => Err(ProviderError::NoRecording { detail }),
            Err(error) => Err(ProviderError::fatal(&format!("{error:#}"))),
        }
    }
}

impl Recordings {
    /// What sets the request apart from a recording for the same purpose.
    fn why_missing(&self, request: &Request) -> Result<String> {
        let Some(key) = self.by_purpose()?.get(&Purpose::of(request)) else {
            return Ok("holds no reply for the row".to_owned());
        };
        let Some(recorded) = self.journal.recorded(key)? else {
            return Ok("holds no reply for the row".to_owned());
        };
        let (asked, had) = (request.key_parts(), recorded.request.key_parts());
        let parts = ["messages", "sampling", "reply_schema"];
        let changed: Vec<&str> = parts.into_iter().filter(|part| asked[part] != had[part]).collect();
        let place = first_difference(&recorded.request, request).unwrap_or_default();
        Ok(format!("holds a reply for the row, but the request has changed since: {}{place}", changed.join(", ")))
    }

    fn by_purpose(&self) -> Result<&HashMap<Purpose, String>> {
        if let Some(keys) = self.by_purpose.get() {
            return Ok(keys);
        }
        let mut keys = HashMap::new();
        for key in self.journal.keys() {
            if let Some(reply) = self.journal.recorded(&key)? {
                keys.insert(Purpose::of(&reply.request), key);
            }
        }
        Ok(self.by_purpose.get_or_init(|| keys))
    }
}

impl Purpose {
    fn of(request: &Request) -> Self {
        Self {
            prompt: request.prompt.clone(),
            row_id: request.row_id.clone(),
            model: request.model.clone(),
            sample_idx: request.sample_idx,
        }
    }
}

/// Where the messages part ways, for a person.
fn first_difference(recorded: &Request, asked: &Request) -> Option<String> {
    let lines = |request: &Request| -> Vec<String> {
        request.messages.iter().flat_map(|message| message.content.lines()).map(str::to_owned).collect()
    };
    let (recorded, asked) = (lines(recorded), lines(asked));
    let n = (0..recorded.len().max(asked.len())).find(|&n| recorded.get(n) != asked.get(n))?;
    let show = |lines: &[String]| match lines.get(n) {
        Some(line) => line.chars().take(80).collect(),
        None => "(end)".to_owned(),
    };
    Some(format!("\n  recorded: {}\n  asked:    {}", show(&recorded), show(&asked)))
}
