"""Peers that have to be installed: slow, so only `make test-clients` (`-m clients`) runs them."""

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "clients" in config.getoption("-m"):
        return
    skip = pytest.mark.skip(reason="slow peer: run `make test-clients`")
    for item in items:
        if item.get_closest_marker("clients"):
            item.add_marker(skip)
