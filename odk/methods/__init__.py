"""Methods in plain words: each algorithm and metric with its formula, source and limits; the toy matrix; H3's levels.

Texts are data (the .toml files here); names, titles and options come from the registry, so that nothing falls behind.
"""

from odk.methods.content import AlgorithmText, MetricText, RelatedSystem, algorithm_texts, metric_texts, related_systems
from odk.methods.levels import levels_table
from odk.methods.toy import PLACES, TOY_ALGORITHMS, Toy, ToyMerge, play, toy_table

__all__ = [
    "PLACES",
    "TOY_ALGORITHMS",
    "AlgorithmText",
    "MetricText",
    "RelatedSystem",
    "Toy",
    "ToyMerge",
    "algorithm_texts",
    "levels_table",
    "metric_texts",
    "play",
    "related_systems",
    "toy_table",
]
