"""Finds the score that parts judged messages best, by logistic calibration over messages held out in turn."""

from collections.abc import Sequence

MOST_FOLDS = 5
"""Parts of the judgements that are held back in turn; fewer where one kind has fewer messages."""
LEAST_OF_EACH = 2
"""Messages of either judgement without which none can be held out."""
_LEAST_SLOPE = 1e-6
"""A curve that does not rise puts its cut anywhere, and is left out."""


def crossing(scores: Sequence[float], useful: Sequence[bool]) -> float | None:
    """Gives the score from which a message is more likely useful than not; None where the scores cannot tell. It is the
    mean over folds, each calibrated (Platt) on the messages outside it, so that no single judgement decides."""
    rarer = min(sum(useful), len(useful) - sum(useful))
    if rarer < LEAST_OF_EACH:
        return None
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_validate

    # Scores lie close together: without so weak a penalty all of them would look alike to the curve.
    curve = LogisticRegression(C=1e4, class_weight="balanced")
    folds = StratifiedKFold(min(MOST_FOLDS, rarer))
    found = cross_validate(curve, np.array(scores)[:, None], np.array(useful), cv=folds, return_estimator=True)
    fitted = [(float(one.coef_[0, 0]), float(one.intercept_[0])) for one in found["estimator"]]
    cuts = [-start / slope for slope, start in fitted if slope > _LEAST_SLOPE]
    return sum(cuts) / len(cuts) if cuts else None
