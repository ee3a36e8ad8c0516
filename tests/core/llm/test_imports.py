"""The server opens its doors before the heavy libraries are loaded."""

import subprocess
import sys


def test_the_gateway_is_light_until_it_is_used() -> None:
    code = """
import sys
import bottega.core.llm.costs, bottega.core.llm.gateway, bottega.core.llm.ledger
import bottega.core.llm.providers, bottega.core.llm.tasks
from bottega.core.llm.providers import Access, Models, choose
Models(choose("anthropic", Access(anthropic_key="k")), Access(anthropic_key="k"))
heavy = {"pydantic_ai", "anthropic", "openai", "genai_prices"} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
