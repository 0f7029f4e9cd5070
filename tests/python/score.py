"""Scores a run on exported judgements with pytrec_eval, and prints each query's measures as JSON.

Arguments: qrels/test.tsv, a run file, cutoffs as 1,3,5. Judgements below 2 are set to 0.
"""

import collections
import csv
import json
import sys

import pytrec_eval

qrels_path, run_path, cutoffs = sys.argv[1:]
qrels = collections.defaultdict(dict)
with open(qrels_path, newline="", encoding="utf-8") as file:
    for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
        grade = int(row["score"])
        qrels[row["query-id"]][row["corpus-id"]] = grade if grade >= 2 else 0
run = collections.defaultdict(dict)
with open(run_path, encoding="utf-8") as file:
    for line in file:
        query_id, _, doc_id, _, score, _ = line.split()
        run[query_id][doc_id] = float(score)
names = {"map", "recip_rank"}
names |= {f"{name}.{cutoffs}" for name in ("ndcg_cut", "map_cut", "recall", "P")}
evaluator = pytrec_eval.RelevanceEvaluator(dict(qrels), names)
json.dump({"queries": sorted(qrels), "scores": evaluator.evaluate(dict(run))}, sys.stdout)
