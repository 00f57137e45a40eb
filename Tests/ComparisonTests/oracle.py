#!/usr/bin/env python3
"""The oracle of RearrangementsTests.swift and RankIntervalTests.swift: scipy's figures, printed as the rows of their tables.

Needs scipy 1.10 or later (Debian: python3-scipy). Run by hand: /usr/bin/python3 Tests/ComparisonTests/oracle.py
- p of two samples: scipy.stats.permutation_test, independent, difference of means, all rearrangements.
- p of pairs: the same, permutation_type "samples", mean of the differences.
- intervals: by inversion. The test is run at shifts on a fine grid and then bisected to 1e-9; where even a shift of 1e3 is
  not refused there is no end (written as infinity).
- Hodges-Lehmann: the median of numpy's outer differences, of pairs of the Walsh averages.
- ranks of a percentile: scipy.stats.binom.ppf at 2.5 % and 97.5 %, the upper one plus 1, kept within the samples.
- Holm: scipy has none before 1.11; the definition, by hand.
"""
import numpy as np
from scipy import stats

ALPHA = 0.05


def p_runs(x, y):
    def statistic(a, b, axis=-1):
        return np.mean(b, axis=axis) - np.mean(a, axis=axis)
    return stats.permutation_test((x, y), statistic, vectorized=True, n_resamples=np.inf, alternative="two-sided").pvalue


def p_pairs(d):
    def statistic(a, axis=-1):
        return np.mean(a, axis=axis)
    return stats.permutation_test(
        (d,), statistic, permutation_type="samples", vectorized=True, n_resamples=np.inf, alternative="two-sided").pvalue


def end(p, start, direction):
    """The last shift in that direction that is not refused."""
    if p(start + direction * 1e3) > ALPHA:
        return direction * float("inf")
    inside, outside = start, start + direction * 1e3
    while abs(outside - inside) > 1e-9:
        middle = (inside + outside) / 2
        if p(middle) > ALPHA:
            inside = middle
        else:
            outside = middle
    return inside


def swift(value):
    return ".infinity" if value == float("inf") else "-.infinity" if value == -float("inf") else f"{value:.6f}"


def figures(values):
    return "[" + ", ".join(f"{v:g}" for v in values) + "]"


rng = np.random.default_rng(34)
print("// two samples: base, new, p, low, high, Hodges-Lehmann")
for n, m, shift in [(5, 5, 0), (5, 5, 0.1), (5, 6, 0.05), (4, 7, -0.08), (3, 3, 0.2), (6, 6, 0.02), (5, 5, 0.03)]:
    x = np.round(rng.normal(0, 0.03, n), 3)
    y = np.round(rng.normal(shift, 0.03, m), 3)
    hl = float(np.median(np.subtract.outer(y, x)))
    low = end(lambda t: p_runs(x, y - t), hl, -1)
    high = end(lambda t: p_runs(x, y - t), hl, +1)
    print(f"    ({figures(x)}, {figures(y)}, {p_runs(x, y):.6f}, {swift(low)}, {swift(high)}, {hl:.6f}),")
print("// pairs: differences, p, low, high, Hodges-Lehmann")
for n, shift in [(5, 0.1), (6, 0.1), (7, 0.1), (7, 0.03), (8, 0), (9, -0.02), (10, 0.04)]:
    d = np.round(rng.normal(shift, 0.04, n), 3)
    walsh = [(d[i] + d[j]) / 2 for i in range(n) for j in range(i, n)]
    hl = float(np.median(walsh))
    low = end(lambda t: p_pairs(d - t), hl, -1)
    high = end(lambda t: p_pairs(d - t), hl, +1)
    print(f"    ({figures(d)}, {p_pairs(d):.6f}, {swift(low)}, {swift(high)}, {hl:.6f}),")
print("// ranks: share, count, low, high")
for share, count in [(0.5, 1), (0.5, 10), (0.5, 100), (0.9, 50), (0.99, 100), (0.99, 1000), (0.999, 20000), (0.5, 1000001)]:
    low = int(stats.binom.ppf(0.025, count, share))
    high = int(stats.binom.ppf(0.975, count, share)) + 1
    print(f"    ({share}, {count}, {max(1, min(low, count))}, {max(1, min(high, count))}),")
print("// Holm")
for p in [[0.01, 0.04, 0.03], [0.5], [0.2, 0.01, 0.01, 0.9]]:
    order = np.argsort(p, kind="stable")
    adjusted, least = [0.0] * len(p), 0.0
    for rank, i in enumerate(order):
        least = max(least, min(1.0, p[i] * (len(p) - rank)))
        adjusted[i] = least
    print(f"    ({figures(p)}, {figures(adjusted)}),")
