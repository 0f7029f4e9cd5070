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
const TIMEOUT: Duration = Duration::from_mins(1);

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

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead, BufReader},
        net::TcpListener,
        thread::JoinHandle,
    };

    use super::*;
    use crate::{exit_code::ExitCode, ids};

    const BODY: &str = "0123456789";

    /// Answers one connection after the other on the loopback interface, then gives the `Range` of
    /// each request.
    fn serve(replies: Vec<String>) -> (String, JoinHandle<Vec<Option<String>>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/dir/file.jsonl", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let answer = |reply: String| {
                let (mut stream, _) = listener.accept().unwrap();
                let head: Vec<String> = BufReader::new(stream.try_clone().unwrap())
                    .lines()
                    .map(|line| line.unwrap().to_ascii_lowercase())
                    .take_while(|line| !line.is_empty())
                    .collect();
                stream.write_all(reply.as_bytes()).unwrap();
                head.iter().find_map(|line| Some(line.strip_prefix("range: ")?.to_owned()))
            };
            replies.into_iter().map(answer).collect()
        });
        (url, server)
    }

    fn reply(status: &str, headers: &str, length: usize, body: &str) -> String {
        format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}")
    }

    fn whole(body: &str) -> String {
        reply("200 OK", "", body.len(), body)
    }

    fn rest(from: usize) -> String {
        let range = format!("Content-Range: bytes {from}-{}/{}\r\n", BODY.len() - 1, BODY.len());
        reply("206 Partial Content", &range, BODY.len() - from, &BODY[from..])
    }

    fn failing(status: &str) -> String {
        reply(status, "", 0, "")
    }

    struct Tried {
        result: Result<()>,
        ranges: Vec<Option<String>>,
        file: Option<String>,
        part: Option<String>,
    }

    /// Downloads [`BODY`] from a server with these replies, over what an earlier run left.
    fn try_download(left: Option<&str>, replies: Vec<String>) -> Tried {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("src@r1/file.jsonl");
        let part_path = directory.path().join("src@r1/file.jsonl.part");
        if let Some(left) = left {
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(&part_path, left).unwrap();
        }
        let (url, server) = serve(replies);
        let downloader = Downloader { first_pause: Duration::from_millis(1), ..Downloader::new().unwrap() };
        let result = downloader.download(&url, &path, &ids::sha256_hex(BODY.as_bytes()), &|_, _| Ok(()));
        let read = |path| fs_err::read_to_string(path).ok();
        Tried { result, ranges: server.join().unwrap(), file: read(path), part: read(part_path) }
    }

    fn check(left: Option<&str>, replies: Vec<String>, ranges: &[Option<&str>]) {
        let tried = try_download(left, replies);
        tried.result.unwrap();
        assert_eq!((tried.file.as_deref(), tried.part), (Some(BODY), None));
        assert_eq!(tried.ranges.iter().map(Option::as_deref).collect::<Vec<_>>(), ranges);
    }

    #[test]
    fn a_whole_answer_becomes_the_file() {
        check(None, vec![whole(BODY)], &[None]);
    }

    #[test]
    fn a_broken_answer_is_gone_on_with() {
        let cut = reply("200 OK", "", BODY.len(), &BODY[..4]);
        check(None, vec![cut, rest(4)], &[None, Some("bytes=4-")]);
    }

    #[test]
    fn a_killed_download_is_gone_on_with() {
        check(Some(&BODY[..7]), vec![rest(7)], &[Some("bytes=7-")]);
        let complete = reply("416 Range Not Satisfiable", "Content-Range: bytes */10\r\n", 0, "");
        check(Some(BODY), vec![complete], &[Some("bytes=10-")]);
    }

    #[test]
    fn a_server_without_ranges_starts_again() {
        check(Some(&BODY[..7]), vec![whole(BODY)], &[Some("bytes=7-")]);
        check(Some(&BODY[..7]), vec![rest(3), whole(BODY)], &[Some("bytes=7-"), None]);
    }

    #[test]
    fn a_part_of_an_older_file_is_thrown_away() {
        check(Some("abc"), vec![rest(3), whole(BODY)], &[Some("bytes=3-"), None]);
    }

    #[test]
    fn a_stumbling_server_is_asked_again() {
        let replies = vec![failing("503 Service Unavailable"), failing("429 Too Many Requests"), whole(BODY)];
        check(None, replies, &[None, None, None]);
    }

    #[test]
    fn a_server_that_stays_down_is_unavailable_and_the_part_stays() {
        let replies = vec![failing("500 Internal Server Error"); MAX_TRIES as usize];
        let tried = try_download(Some("0123"), replies);
        let error = tried.result.unwrap_err();
        assert_eq!(ExitCode::of(&error), ExitCode::Unavailable);
        assert!(error.to_string().contains("in 5 tries: the server answers 500"), "{error}");
        assert_eq!((tried.file, tried.part.as_deref()), (None, Some("0123")));
    }

    #[test]
    fn a_missing_file_is_told_at_once() {
        let tried = try_download(None, vec![failing("404 Not Found")]);
        let error = tried.result.unwrap_err();
        assert_eq!(ExitCode::of(&error), ExitCode::Unavailable);
        assert!(error.to_string().contains("404 Not Found"), "{error}");
    }

    #[test]
    fn another_file_under_the_url_is_refused_with_both_hashes() {
        let tried = try_download(None, vec![whole("something else")]);
        let error = tried.result.unwrap_err();
        assert_eq!(ExitCode::of(&error), ExitCode::Invalid);
        for body in [BODY, "something else"] {
            assert!(error.to_string().contains(&ids::sha256_hex(body.as_bytes())), "{error}");
        }
        assert_eq!((tried.file, tried.part), (None, None));
    }

    #[test]
    fn two_downloads_of_one_file_do_not_mix() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let other = File::create(directory.path().join("file.part")).unwrap();
        other.file().lock().unwrap();
        let error = Downloader::new().unwrap().download("http://127.0.0.1:9/f", &path, "", &|_, _| Ok(())).unwrap_err();
        assert!(error.to_string().contains("by another process"), "{error}");
    }
}
