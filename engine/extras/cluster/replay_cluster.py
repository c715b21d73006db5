"""Lets a Dask cluster read the transcripts of a replay: `dask.distributed`'s executor instead of processes (§8.7).
Names of functions, paths and hashes are sent, and entries come back. Each worker needs the same version of memdeck, and
the workspace at the same path."""

import logging
from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError, Executor
from contextlib import contextmanager
from typing import Any

from engine.errors import Blocked, UsageError
from engine.extra_registry import needs

CONNECT = 10  # seconds in which a scheduler has to answer
_SAME = "install memdeck of the same version on each worker"


class ClusterFailed(Blocked, title="The cluster failed"):
    """The cluster cannot read these transcripts now: nothing is planned, and finished work is kept."""


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """Opens the executor of the cluster at that address; pending work is dropped at the end. `MissingExtra` without the
    library, `UsageError` for an invalid address, `ClusterFailed` without an answer or a reading worker."""
    distributed, where = _library(), address[:200]
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL + 1)  # a lost scheduler is told in one line
    try:
        client = distributed.Client(address, timeout=CONNECT, set_as_default=False)
    except (ValueError, TypeError) as error:
        raise UsageError("that is no address of a scheduler", where=where, hint="tcp://HOST:8786") from error
    except OSError as error:
        hint = f"start it there with `dask scheduler`, and on each machine `dask worker {where}`"
        raise ClusterFailed(f"no scheduler answers within {CONNECT} s", where=where, hint=hint) from error
    with client:
        executor = client.get_executor(pure=False)
        try:
            _check(client.run(_version), where)
            yield executor
        except (ImportError, AttributeError, distributed.scheduler.KilledWorker) as error:
            what = f"a worker cannot read transcripts: {type(error).__name__}"
            raise ClusterFailed(what, where=where, hint=_SAME) from error
        except (CancelledError, OSError) as error:
            hint = "what was read is kept: run it again"
            raise ClusterFailed("the scheduler answers no more", where=where, hint=hint) from error
        finally:
            executor.shutdown(wait=False)


def _version() -> str:
    from engine.extraction.judge import VERSION

    return VERSION


def _check(versions: Mapping[str, str], where: str) -> None:
    """Refuses a cluster without workers, which would never answer, and one that reads by other rules."""
    if not versions:
        raise ClusterFailed("it has no worker", where=where, hint=f"dask worker {where}")
    if other := set(versions.values()) - {_version()}:
        raise ClusterFailed(f"a worker reads by {min(other)[:40]}, not {_version()}", where=where, hint=_SAME)


def _library() -> Any:
    with needs("cluster"):
        import distributed
    return distributed
