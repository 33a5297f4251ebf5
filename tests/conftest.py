"""What many tests share: the folder of shared data, and hypothesis' settings."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest
from datasette.app import Datasette

from .claude_api import ClaudeAPI

hypothesis.settings.register_profile("datasette-rag", deadline=None, derandomize=True)
hypothesis.settings.load_profile("datasette-rag")

ON_1_0 = hasattr(Datasette, "allowed")
SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of corpora and cases beside the checkout; tests that use it skip without it."""
    if not SHARED.is_dir():
        pytest.skip("the folder ../shared is not there")
    return SHARED


def pytest_configure(config):
    for line in ("0.65", "1.0"):
        config.addinivalue_line("markers", f"datasette_{line.replace('.', '_')}: only on {line}")


def pytest_collection_modifyitems(config, items):
    """Tests of what only one line of Datasette has are not there on the other."""
    foreign = "datasette_0_65" if ON_1_0 else "datasette_1_0"
    deselected = [item for item in items if item.get_closest_marker(foreign)]
    if deselected:
        config.hook.pytest_deselected(items=deselected)
        items[:] = [item for item in items if not item.get_closest_marker(foreign)]


def pytest_terminal_summary(terminalreporter):
    """Name in one line what was left out, and why."""
    reasons = sorted(
        {report.longrepr[2].removeprefix("Skipped: ") for report in _skipped(terminalreporter)}
    )
    if reasons:
        terminalreporter.write_line(f"Left out: {'; '.join(reasons)}")


def pytest_sessionfinish(session):
    """Where all tests are asked for, leaving one out is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("DATASETTE_RAG_ALL_TESTS") and reporter and _skipped(reporter):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _skipped(reporter):
    return reporter.stats.get("skipped", [])


@pytest.fixture
def claude_api(monkeypatch):
    """The stand-in of the Claude API; no request of a test may be one that the API refuses."""
    for name in list(os.environ):
        if name.startswith("ANTHROPIC_"):
            monkeypatch.delenv(name)
    with ClaudeAPI() as api:
        monkeypatch.setenv("ANTHROPIC_API_KEY", api.key)
        yield api
