"""Rows made by the workers of a Dask cluster.

A worker is sent the study's name, its size, the number of a batch and the stamp that rows must have; it runs its own
installed handup. Rows come back and are stored here, so that a stopped run can continue with other workers.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import lru_cache, partial
from typing import Any
from urllib.parse import urlsplit

from handup.core import ConflictingSettings, Malformed, MissingExtra, MissingSetting, NotNow, OutOfRange, ProcessLost
from handup.lab.engine.registry import study_of
from handup.lab.engine.results import Columns
from handup.lab.engine.runner import Made, Refusal, Workers, make
from handup.lab.engine.study import Batch, Size, Study

WAIT_S = 10
"""Longest time that a scheduler may take to answer."""
LOCAL = "local:"
_ONE_AT_A_TIME = threading.Lock()
"""Studies make rows with networks and renderers that threads cannot share."""


@contextmanager
def cluster(address: str, study: Study) -> Iterator[Workers]:
    """Connect to a cluster, and yield the function that makes rows there.

    Args:
        address: `tcp://HOST:PORT` or `tls://HOST:PORT` of a scheduler, or `local:N` for N workers of this machine.
        study: The study that will be run; every worker must have it with the same code.

    Raises:
        MissingExtra: Dask is not installed here.
        BadSetting: The address is wrong, certificates or workers are missing, nobody answers, or a worker differs.
    """
    try:
        from distributed import Client, LocalCluster, Security  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtra.of("cluster", "running a study on a cluster") from None
    with ExitStack() as stack:
        logger = logging.getLogger("distributed")
        stack.callback(logger.setLevel, logger.level)
        logger.setLevel(logging.CRITICAL)
        if address.startswith(LOCAL):
            # Loopback only, because a scheduler has no password.
            target: Any = stack.enter_context(
                LocalCluster(n_workers=_count(address), threads_per_worker=1, host="127.0.0.1", dashboard_address=None)
            )
        elif address.startswith("tls://") and Security().get_connection_args("client")["ssl_context"] is None:
            raise MissingSetting(
                f"certificates must be named for {address}, and some are not",
                hint="Name them in DASK_DISTRIBUTED__COMM__TLS__CA_FILE, …__CLIENT__CERT and …__CLIENT__KEY.",
            )
        elif address.startswith(("tcp://", "tls://")):
            target = address
        else:
            hint = "Give tcp://HOST:PORT, tls://HOST:PORT or local:N."
            raise Malformed.of("--cluster", f"'{address}'", "be the address of a scheduler", hint=hint)
        try:
            if target == address:
                # Dask tries again until its time is up; a port that refuses is told at once.
                at = urlsplit(address)
                socket.create_connection((at.hostname, at.port), timeout=WAIT_S).close()
            client = stack.enter_context(Client(target, timeout=WAIT_S, set_as_default=False))
        except (OSError, ValueError, TimeoutError) as error:
            raise NotNow(
                f"no scheduler answers at {address} ({error})",
                hint="Start one with 'dask scheduler', or check host, port and certificates.",
            ) from None
        _check_workers(client, study, address)
        yield partial(_made, client, address)


def _count(address: str) -> int:
    count = address.removeprefix(LOCAL)
    if not count.isdigit() or not 1 <= int(count) <= 1024:
        hint = "Give local:N with the number of workers."
        raise OutOfRange.of("--cluster", f"'{address}'", "have 1 to 1024 workers", hint=hint)
    return int(count)


def _check_workers(client: Any, study: Study, address: str) -> None:
    """Refuse workers that are missing or run other code, before anything is written."""
    stamps: Mapping[str, Mapping[str, str] | str] = client.run(stamp_here, study.name, on_error="return")
    if not stamps:
        cause = f"a scheduler must have workers, and the one at {address} has none"
        raise NotNow(cause, hint="Start one with 'dask worker ADDRESS'.")
    wanted = dict(study.stamp())
    for worker, stamp in stamps.items():
        if stamp != wanted:
            raise ConflictingSettings(
                f"the worker at {worker} {_difference(stamp, wanted)}",
                hint="Install the same handup there as here, and start the worker again.",
            )


def _difference(stamp: object, wanted: Mapping[str, str]) -> str:
    if not isinstance(stamp, Mapping):
        return f"cannot run the study: {stamp}"
    other = [
        f"{name} {stamp.get(name)} instead of {value}" for name, value in wanted.items() if stamp.get(name) != value
    ]
    return f"has other code: {', '.join(other)}"


def stamp_here(name: str) -> dict[str, str]:
    """Return the stamp of rows of a study that this worker makes."""
    return dict(study_of(name).stamp())


def make_there(
    name: str, size: Mapping[str, Any], number: int, config: str, wanted: Mapping[str, str]
) -> Columns | Refusal:
    """Make one batch on this worker."""
    from distributed import get_worker  # noqa: PLC0415 - an extra

    with _ONE_AT_A_TIME:
        study = study_of(name)
        stamp = study.stamp()
        if dict(stamp) != dict(wanted):
            cause = f"the worker at {get_worker().address} {_difference(stamp, wanted)}"
            return Refusal(cause, "Install the same handup there as here, and start the worker again.")
        batch = _batches(name, tuple(size.items()))[number]
        if batch.config != config:
            return Refusal("a worker has other data", "Put the same data there as here.")
        return make(study.make, batch)


@lru_cache(maxsize=4)
def _batches(name: str, size: tuple[tuple[str, Any], ...]) -> Sequence[Batch]:
    study = study_of(name)
    return study.batches(study.size(**dict(size)))


def _made(
    client: Any, address: str, study: Study, size: Size, batches: Sequence[Batch], numbers: Sequence[int]
) -> Made:
    from distributed import KilledWorker, as_completed  # noqa: PLC0415 - an extra

    wanted = dict(study.stamp())
    lost = ProcessLost(
        f"the scheduler at {address} is gone", hint="Start it again and give the same command; what was done is kept."
    )
    # `pure=False`: a batch is made again on every request, even if the scheduler has stored its result.
    futures = {
        client.submit(
            make_there, study.name, size.to_json(), number, batches[number].config, wanted, pure=False
        ): number
        for number in numbers
    }
    try:
        for future in as_completed(futures, loop=client.loop):
            if future.status == "error" and isinstance(future.exception(), KilledWorker):
                cause = f"{batches[futures[future]].label} ended several workers, perhaps for want of memory"
                raise ProcessLost(cause, hint="Give workers more memory, and give the same command again.")
            if future.status == "error":
                raise future.exception()
            if future.status != "finished":
                raise lost
            try:
                made = future.result()
            except OSError:  # the scheduler went away before its rows arrived
                raise lost from None
            yield futures[future], made
            future.release()
    finally:
        if client.status == "running":
            client.cancel(list(futures), force=True)
