"""JUnit XML, from a real pytest run and as the others write it."""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bottega.board.failures.reports.parser import parse_report
from bottega.board.failures.reports.report import BoardOutcome, ReportSource, Runner, TestResult

SUREFIRE = b"""<?xml version="1.0" encoding="UTF-8"?>
<testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="3.0"
    xsi:noNamespaceSchemaLocation="https://maven.apache.org/surefire/maven-surefire-plugin/xsd/surefire-test-report-3.0.xsd"
    name="com.shop.PriceTest" time="1,234.5" tests="5" errors="1" skipped="1" failures="1">
  <properties><property name="java.version" value="21"/></properties>
  <testcase name="adds" classname="com.shop.PriceTest" time="0.25"/>
  <testcase name="discounts" classname="com.shop.PriceTest" time="0.1">
    <failure message="expected: &lt;90&gt; but was: &lt;100&gt;"
      type="org.opentest4j.AssertionFailedError"><![CDATA[expected: <90> but was: <100>
	at com.shop.PriceTest.discounts(PriceTest.java:21)]]></failure>
    <rerunFailure message="again" type="x"><stackTrace>at y</stackTrace></rerunFailure>
  </testcase>
  <testcase name="waits" classname="com.shop.PriceTest" time="5">
    <error type="org.junit.runners.model.TestTimedOutException"
      >test timed out after 5000 milliseconds</error>
  </testcase>
  <testcase name="rounds" classname="com.shop.PriceTest">
    <flakyFailure message="once" type="java.lang.AssertionError"><stackTrace>at first
at second</stackTrace><system-out>chatter</system-out></flakyFailure>
    <system-out>more chatter</system-out>
  </testcase>
  <testcase name="later" classname="com.shop.PriceTest"><skipped message="not yet"/></testcase>
</testsuite>
"""
JEST = b"""<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="jest tests" tests="2" failures="1" errors="0" time="2.5">
  <testsuite name="price" timestamp="2026-05-04T09:30:00" time="1.1" tests="2">
    <testcase classname="price adds" name="price adds" time="0.003"/>
    <testcase classname="price rounds" name="price rounds" time="0.005" file="src/price.test.ts">
      <failure>Error: \x1b[2mexpect(\x1b[22mreceived\x1b[2m)\x1b[22m.toBe(1)
    at Object.toBe (src/price.test.ts:4:20)</failure>
    </testcase>
  </testsuite>
</testsuites>
"""
VITEST = b"""<testsuites name="vitest tests" time="0.5">
  <testsuite name="src/price.test.ts" timestamp="2026-05-04T09:30:00.000Z" hostname="desk">
    <testcase classname="src/price.test.ts" name="price &gt; rounds" time="0.01">
      <failure message="expected 1 to be 2" type="AssertionError">at price.test.ts:3</failure>
    </testcase>
  </testsuite>
</testsuites>
"""
PYTHON = """
import pytest

class TestTill:
    def test_adds(self):
        assert 1 + 1 == 2

    @pytest.mark.parametrize("coin", [1, 2])
    def test_counts(self, coin):
        assert coin == 1, "\\x1b[31mwrong coin\\x1b[0m"

@pytest.mark.skip(reason="later")
def test_later(): ...

@pytest.mark.xfail
def test_known(): assert False

def test_needs(nothing): ...
"""


def by_title(body: bytes) -> dict[str, TestResult]:
    return {result.title: result for result in parse_report(body).results}


@pytest.mark.requirement("BD-202", "BD-204", "BD-205")
def test_what_pytest_writes_is_read(tmp_path: Path) -> None:
    """BD-202 BD-204 BD-205: a real run; its classes and files are found in the class names."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_till.py").write_text(PYTHON)
    subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--junitxml=r.xml", "-q"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    body = (tmp_path / "r.xml").read_bytes()
    report = parse_report(body, "text/plain")
    results = by_title(body)

    assert (report.source, report.runner) == (ReportSource.JUNIT, Runner.PYTEST)
    assert report.started_at is not None
    assert report.duration_ms > 0
    assert {title: result.status for title, result in results.items()} == {
        "test_adds": BoardOutcome.PASSED,
        "test_counts[1]": BoardOutcome.PASSED,
        "test_counts[2]": BoardOutcome.FAILED,
        "test_later": BoardOutcome.SKIPPED,
        "test_known": BoardOutcome.SKIPPED,
        "test_needs": BoardOutcome.FAILED,
    }
    counts = results["test_counts[2]"]
    assert counts.test_id == "tests/test_till.py › TestTill › test_counts[2]"
    assert (counts.file, counts.suite) == ("tests/test_till.py", "TestTill")
    assert counts.error is not None
    assert counts.error.message == "AssertionError: wrong coin\nassert 2 == 1"
    assert "test_till.py:10: AssertionError" in (counts.error.stack or "")


@pytest.mark.requirement("BD-202")
def test_what_surefire_writes_is_read() -> None:
    """Reruns, flakes, timeouts, and thousands with a comma."""
    report = parse_report(SUREFIRE, "application/xml")
    results = by_title(SUREFIRE)

    assert report.runner is Runner.MAVEN
    assert report.duration_ms == 1_234_500
    assert report.started_at is None
    assert [result.status for result in report.results] == [
        BoardOutcome.PASSED,
        BoardOutcome.FAILED,
        BoardOutcome.TIMED_OUT,
        BoardOutcome.FLAKED,
        BoardOutcome.SKIPPED,
    ]
    discounts = results["discounts"]
    assert discounts.test_id == "com.shop.PriceTest › discounts"
    assert discounts.retries == 1
    assert discounts.error is not None
    assert discounts.error.message == "AssertionFailedError: expected: <90> but was: <100>"
    assert "PriceTest.java:21" in (discounts.error.stack or "")
    assert results["waits"].error is not None
    assert "timed out after 5000" in results["waits"].error.message
    assert results["rounds"].error is not None
    assert results["rounds"].error.stack == "at first\nat second"
    assert results["adds"].duration_ms == 250


@pytest.mark.requirement("BD-202", "BD-210")
def test_what_jest_writes_is_read_though_xml_forbids_its_colours() -> None:
    """BD-202 BD-210: an escape character is not XML; jest writes it all the same."""
    report = parse_report(JEST)
    rounds = by_title(JEST)["price rounds"]

    assert report.runner is Runner.JEST
    assert report.started_at == datetime(2026, 5, 4, 9, 30, tzinfo=UTC)
    assert report.duration_ms == 2500
    assert [result.test_id for result in report.results] == [
        "price adds",
        "src/price.test.ts › price rounds",
    ]
    assert rounds.error is not None
    assert rounds.error.message == "Error: expect(received).toBe(1)"
    assert (
        rounds.error.stack == f"{rounds.error.message}\n    at Object.toBe (src/price.test.ts:4:20)"
    )


@pytest.mark.requirement("BD-202")
def test_what_vitest_writes_is_read() -> None:
    """The class name is the file; the host is no project."""
    report = parse_report(VITEST)
    [result] = report.results

    assert report.runner is Runner.VITEST
    assert result.test_id == "src/price.test.ts › price > rounds"
    assert result.project is None
    assert result.error is not None
    assert result.error.message == "AssertionError: expected 1 to be 2"


@pytest.mark.requirement("BD-202")
def test_a_report_in_another_encoding_is_read() -> None:
    """As the XML declares it."""
    text = '<?xml version="1.0" encoding="{}"?><testsuite><testcase name="zählt"/></testsuite>'
    for encoding in ("utf-16", "iso-8859-1", "utf-8-sig"):
        body = text.format(encoding.removesuffix("-sig")).encode(encoding)
        assert [result.title for result in parse_report(body).results] == ["zählt"]


@pytest.mark.requirement("BD-202")
def test_numbers_that_are_none_are_left_out() -> None:
    """Time and line come as any text."""
    for nonsense in ("", "soon", "nan", "inf", "-1", "1e400", "9" * 400, "٣"):
        body = f'<testsuite time="{nonsense}" timestamp="{nonsense}">'
        body += f'<testcase name="a" time="{nonsense}" line="{nonsense}"/></testsuite>'
        report = parse_report(body.encode())
        assert report.results[0].line is None
        assert report.started_at is None
        assert report.results[0].duration_ms in (0, 3000)
