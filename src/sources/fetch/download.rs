//! One file over HTTPS: resumed where it broke off, repeated when the far end stumbles, checked, and
//! only then given its name.
//!
//! Until the sha256 holds, the bytes lie in `<name>.part`; a killed download goes on from there.

use std::{
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::Once,
    thread,
    time::Duration,
};

use anyhow::{Result, bail};
use fs_err::{File, OpenOptions};
use reqwest::{
    StatusCode,
    blocking::{Client, Response},
    header::{CONTENT_RANGE, RANGE},
};

use crate::{
    exit_code::{Invalid, Unavailable},
    sources::snapshot::file_hash,
};

/// Tries in a row that brought no byte, before giving up.
const MAX_TRIES: u32 = 5;

/// Of connecting, of the answer's head, and of each read.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Told with the bytes on disk and, where known, the bytes to come to in all.
type Tell<'a> = &'a dyn Fn(u64, Option<u64>) -> Result<()>;

#[derive(Debug)]
pub(super) struct Downloader {
    client: Client,
    /// Before the second try; doubles with each further one.
    first_pause: Duration,
}

/// How one request ended.
enum Ended {
    Whole,
    /// Worth another try.
    Broken(String),
}

impl Downloader {
    pub(super) fn new() -> Result<Self> {
        static PROVIDER: Once = Once::new();
        // Another part of the program may have been first: any provider will do.
        PROVIDER.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
        let builder = Client::builder()
            .https_only(!cfg!(test))
            .connect_timeout(TIMEOUT)
            .timeout(TIMEOUT)
            .user_agent(concat!("corebuild/", env!("CARGO_PKG_VERSION")));
        let builder = if cfg!(test) { builder.no_proxy() } else { builder };
        let client =
            builder.build().map_err(|error| Unavailable::new(format!("no HTTPS client: {}", chain(&error))))?;
        Ok(Self { client, first_pause: Duration::from_secs(1) })
    }

    /// Brings `url` to `path`, which does not exist yet.
    pub(super) fn download(&self, url: &str, path: &Path, sha256: &str, tell: Tell<'_>) -> Result<()> {
        let parent = path.parent().expect("a download has a directory");
        fs_err::create_dir_all(parent)?;
        let part_path = PathBuf::from(format!("{}.part", path.display()));
        let mut part = OpenOptions::new().create(true).read(true).append(true).open(&part_path)?;
        if part.file().try_lock().is_err() {
            bail!(Unavailable::new(format!("`{}` is being downloaded by another process", part_path.display())));
        }
        let was_begun = part.metadata()?.len() > 0;
        self.fill(url, &mut part, tell)?;
        let mut found = file_hash(&part_path, &mut |_| Ok(()))?.0;
        if was_begun && !found.eq_ignore_ascii_case(sha256) {
            // The part may be of an older file under the same url.
            part.set_len(0)?;
            self.fill(url, &mut part, tell)?;
            found = file_hash(&part_path, &mut |_| Ok(()))?.0;
        }
        if !found.eq_ignore_ascii_case(sha256) {
            fs_err::remove_file(&part_path)?;
            bail!(
                Invalid::new(format!("`{url}` has changed: its sha256 is {found}, `pipeline.toml` pins {sha256}"))
                    .hint("pin the new sha256 under a new `revision`, or name a url that does not change")
            );
        }
        part.sync_all()?;
        fs_err::rename(&part_path, path)?;
        File::open(parent)?.sync_all()?;
        Ok(())
    }

    /// Requests until the file is whole.
    fn fill(&self, url: &str, part: &mut File, tell: Tell<'_>) -> Result<()> {
        let mut n_tries = 0;
        loop {
            let n_before = part.metadata()?.len();
            let why = match self.request(url, part, tell)? {
                Ended::Whole => return Ok(()),
                Ended::Broken(why) => why,
            };
            n_tries = if part.metadata()?.len() > n_before { 1 } else { n_tries + 1 };
            if n_tries >= MAX_TRIES {
                bail!(
                    Unavailable::new(format!("`{url}` could not be downloaded in {MAX_TRIES} tries: {why}"))
                        .hint("run the same command again: it goes on where this one stopped")
                );
            }
            thread::sleep(self.first_pause * 2_u32.pow(n_tries - 1));
        }
    }

    fn request(&self, url: &str, part: &mut File, tell: Tell<'_>) -> Result<Ended> {
        let n_present = part.metadata()?.len();
        let mut request = self.client.get(url);
        if n_present > 0 {
            request = request.header(RANGE, format!("bytes={n_present}-"));
        }
        let response = match request.send() {
            Ok(response) => response,
            Err(error) if error.is_builder() || error.is_redirect() => {
                bail!(Unavailable::new(format!("`{url}` cannot be requested: {}", chain(&error.without_url()))))
            }
            Err(error) => return Ok(Ended::Broken(chain(&error.without_url()))),
        };
        match response.status() {
            StatusCode::PARTIAL_CONTENT if starts_at(&response, n_present) => copy(response, part, tell),
            StatusCode::OK => {
                part.set_len(0)?;
                copy(response, part, tell)
            }
            StatusCode::RANGE_NOT_SATISFIABLE if is_all(&response, n_present) => Ok(Ended::Whole),
            StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE => {
                part.set_len(0)?;
                Ok(Ended::Broken("the server answers with another range than asked for".to_owned()))
            }
            status if is_passing(status) => Ok(Ended::Broken(format!("the server answers {status}"))),
            status => bail!(
                Unavailable::new(format!("`{url}` cannot be downloaded: the server answers {status}"))
                    .hint("look at the url in `pipeline.toml`")
            ),
        }
    }
}

/// Appends the answer's body. The file stays at what has arrived, so that the next try goes on.
fn copy(mut response: Response, part: &mut File, tell: Tell<'_>) -> Result<Ended> {
    let mut n_present = part.seek(SeekFrom::End(0))?;
    let n_total = response.content_length().map(|n_coming| n_present + n_coming);
    let mut buffer = vec![0; 1 << 17];
    loop {
        let n_read = match response.read(&mut buffer) {
            Ok(0) if n_total.is_some_and(|n_total| n_present < n_total) => {
                return Ok(Ended::Broken(format!("the answer ends after {n_present} bytes")));
            }
            Ok(0) => return Ok(Ended::Whole),
            Ok(n_read) => n_read,
            Err(error) => return Ok(Ended::Broken(chain(&error))),
        };
        part.write_all(&buffer[..n_read])?;
        n_present += n_read as u64;
        tell(n_present, n_total)?;
    }
}

/// `Content-Range: bytes <start>-<end>/<total>`
fn starts_at(response: &Response, start: u64) -> bool {
    content_range(response).and_then(|range| range.split('-').next()?.trim().parse().ok()) == Some(start)
}

/// `Content-Range: bytes */<total>`
fn is_all(response: &Response, n_present: u64) -> bool {
    content_range(response).and_then(|range| range.strip_prefix("*/")?.trim().parse().ok()) == Some(n_present)
}

fn content_range(response: &Response) -> Option<&str> {
    response.headers().get(CONTENT_RANGE)?.to_str().ok()?.strip_prefix("bytes ")
}

/// Whether the same request may succeed later.
fn is_passing(status: StatusCode) -> bool {
    status.is_server_error() || matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS)
}

/// The whole story of an error: reqwest's first line says only that something was wrong.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
