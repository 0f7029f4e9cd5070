"""Loads every configuration of a release's own card, and prints rows and columns as JSON."""

import json
import sys

from datasets import get_dataset_config_names, load_dataset

folder = sys.argv[1]
found = {}
for config in get_dataset_config_names(folder):
    dataset = load_dataset(folder, config)
    (split,) = dataset
    found[config] = {"split": split, "rows": dataset[split].num_rows, "columns": dataset[split].column_names}
json.dump(found, sys.stdout)
