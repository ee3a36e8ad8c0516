"""The routes that the command line asks: light to import, so that a command starts fast.

The operations behind them are declared with these, and load the whole room.
"""

from bottega.core.operations import Get, Post

START_RUN = Post("/research/runs", status=201)
LIST_RUNS = Get("/research/runs")
SHOW_RUN = Get("/research/runs/{run_id}")
REPLY_TO_RUN = Post("/research/runs/{run_id}/messages")
READ_ANSWER = Get("/research/runs/{run_id}/answer")
CANCEL_RUN = Post("/research/runs/{run_id}/cancel")
READ_MESSAGES = Get("/research/sessions/{session_id}/messages")
LIST_AGENTS = Get("/research/agents")
LIST_SOURCES = Get("/research/sources")
TEST_SOURCE = Post("/research/sources/{slug}/test")
ENABLE_SOURCE = Post("/research/sources/{slug}/enable")
DISABLE_SOURCE = Post("/research/sources/{slug}/disable")
