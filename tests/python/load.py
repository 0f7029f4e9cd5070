"""Loads one task of a release as BEIR and as MTEB do, and prints what they found as JSON."""

import json
import sys

from beir.datasets.data_loader import GenericDataLoader
from datasets import load_dataset

folder = sys.argv[1]
corpus, queries, qrels = GenericDataLoader(data_folder=folder).load(split="test")
found = {
    "beir": {
        "corpus": {doc_id: document["text"] for doc_id, document in corpus.items()},
        "titles": sorted({document["title"] for document in corpus.values()}),
        "queries": queries,
        "qrels": qrels,
    },
    "columns": {},
}
rows = {}
for config, split in (("corpus", "corpus"), ("queries", "queries"), ("default", "test")):
    dataset = load_dataset(folder, config)
    assert list(dataset) == [split], list(dataset)
    found["columns"][config] = {name: feature.dtype for name, feature in dataset[split].features.items()}
    rows[config] = list(dataset[split])
judgements = {}
for row in rows["default"]:
    judgements.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
found["datasets"] = {
    "corpus": {row["_id"]: row["text"] for row in rows["corpus"]},
    "queries": {row["_id"]: row["text"] for row in rows["queries"]},
    "qrels": judgements,
}
json.dump(found, sys.stdout)
