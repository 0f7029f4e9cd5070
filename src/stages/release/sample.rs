//! A small release for tests.

use std::{collections::BTreeMap, path::Path};

use super::{Provenance, Records, files};
use crate::{
    receipt::{Fingerprint, Receipt},
    stages::qrels::{self, Formed},
};

pub(crate) fn records(formed: Formed) -> Records {
    Records {
        name: qrels::sample::settings().release,
        queries: formed.queries,
        code_documents: formed.code_documents,
        text_documents: formed.text_documents,
        qrels: formed.qrels,
        anchors: formed.anchors,
    }
}

pub(crate) fn provenance() -> Provenance {
    let mut provenance = Provenance { created_at: "2026-01-31T00:00:00Z".into(), ..Provenance::default() };
    let source = serde_json::json!({"kind": "livecodebench", "revision": "r1", "files": [
        {"url": "file:///home/somebody/test6.jsonl", "sha256": "0".repeat(64)}]});
    provenance.sources.insert("lcb".into(), source);
    provenance.models.insert("Alpha-1".into(), serde_json::json!({"provider": "replay", "roles": ["writes programs"]}));
    let files = [("prompts/solve/solve.jinja".to_owned(), "1".repeat(64)), ("CHANGELOG.md".to_owned(), "2".repeat(64))];
    let fingerprint = Fingerprint {
        stage: "solve".into(),
        stage_version: 1,
        files: files.into(),
        environment: [("python".to_owned(), "Python 3.11".to_owned())].into(),
        ..Fingerprint::default()
    };
    let receipt = Receipt {
        tool_version: "0.1.0".into(),
        fingerprint,
        outputs: BTreeMap::new(),
        unhashed: Vec::new(),
        rows_in: 2,
        rows_out: 1,
        rows_rejected: 1,
        rejected: [("no-code-block".to_owned(), 1)].into(),
    };
    provenance.receipts.insert("solve".into(), receipt);
    provenance.rejected =
        b"{\"stage\":\"solve\",\"key\":\"k\",\"reason\":\"no-code-block\",\"detail\":\"\"}\n".to_vec();
    provenance
}

/// Every file of the mini release.
pub(crate) fn mini() -> BTreeMap<String, Vec<u8>> {
    files(&records(qrels::sample::mini()), &provenance()).expect("rows serialise")
}

/// Puts files below `dir`.
pub(crate) fn put(dir: &Path, files: &BTreeMap<String, Vec<u8>>) {
    for (name, bytes) in files {
        let path = dir.join(name);
        fs_err::create_dir_all(path.parent().expect("a file has a directory")).expect("a writable directory");
        fs_err::write(path, bytes).expect("a writable directory");
    }
}
