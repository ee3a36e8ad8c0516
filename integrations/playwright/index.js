'use strict';

/**
 * Sends one JSON report to Bottega when a Playwright run ends. It never fails a run: whatever goes
 * wrong here is one line of output.
 *
 * The report's shape is described in Bottega's `board/failures/reporter.py`.
 */

const path = require('node:path');

const DEFAULT_URL = 'http://127.0.0.1:3000';
const DEFAULT_TIMEOUT_MS = 10_000;
const LONGEST_MESSAGE = 10_000;
const LONGEST_STACK = 50_000;
const MOST_ATTACHMENTS = 20;

class BottegaReporter {
  constructor(options = {}) {
    this.url = options.url || process.env.BOTTEGA_URL || DEFAULT_URL;
    this.projectId = options.projectId || process.env.BOTTEGA_PROJECT_ID || '';
    this.token = options.token || process.env.BOTTEGA_TOKEN || '';
    this.timeoutMs = options.timeoutMs || DEFAULT_TIMEOUT_MS;
    this.errors = [];
  }

  printsToStdio() {
    return false;
  }

  onBegin(config, suite) {
    this.config = config;
    this.suite = suite;
  }

  onError(error) {
    this.errors.push(error);
  }

  async onEnd(result) {
    try {
      say(await this.send(result));
    } catch (error) {
      say(`the results were not sent: ${reason(error)}`);
    }
  }

  async send(result) {
    const tests = this.suite ? this.suite.allTests().filter(hasRun).map((test) => this.describe(test)) : [];
    const errors = this.errors.map(describeError);
    if (!tests.length && !errors.length) return 'nothing ran, so nothing was sent.';
    await this.post({
      format: 'bottega-report',
      version: 1,
      runner: 'playwright',
      started_at: result.startTime,
      duration_ms: Math.round(result.duration || 0),
      status: result.status,
      shard: (this.config && this.config.shard) || undefined,
      tests,
      errors,
    });
    const failed = tests.filter((test) => test.status === 'failed' || test.status === 'timed_out').length;
    return `sent ${count(tests.length, 'result')} (${failed} failed) to ${shown(this.address())}`;
  }

  address() {
    const address = new URL(`${this.url.replace(/\/+$/, '')}/api/board/reports`);
    if (this.projectId) address.searchParams.set('project_id', this.projectId);
    return address;
  }

  async post(report) {
    const response = await fetch(this.address(), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(this.token && { Authorization: `Bearer ${this.token}` }),
      },
      body: JSON.stringify(report),
      // The token is for this address alone.
      redirect: 'error',
      signal: AbortSignal.timeout(this.timeoutMs),
    });
    if (!response.ok) throw new Error(`${shown(this.address())} answered ${response.status} ${await refusal(response)}`);
  }

  describe(test) {
    // The root, the project and the file come before the describes.
    const [, project, , ...titles] = test.titlePath();
    const failed = test.results.find((result) => result.errors.length);
    const status = statusOf(test);
    return {
      file: this.relative(test.location.file),
      line: test.location.line,
      titles,
      project: project || undefined,
      status,
      duration_ms: Math.round(test.results.reduce((sum, result) => sum + result.duration, 0)),
      retries: test.results.length - 1 || undefined,
      error: status === 'passed' || status === 'skipped' ? undefined : describeErrors(failed),
      attachments: status === 'passed' ? undefined : attachments(test),
    };
  }

  relative(file) {
    return path.relative(this.config.rootDir, file).split(path.sep).join('/');
  }
}

/** A test that an interrupted run did not get to says nothing. */
function hasRun(test) {
  const last = test.results[test.results.length - 1];
  return last !== undefined && last.status !== 'interrupted';
}

function statusOf(test) {
  const outcome = test.outcome();
  if (outcome === 'expected') return 'passed';
  if (outcome === 'flaky') return 'flaked';
  if (outcome === 'skipped') return 'skipped';
  return test.results[test.results.length - 1].status === 'timedOut' ? 'timed_out' : 'failed';
}

function describeErrors(result) {
  if (!result) return { message: 'The test is marked as failing, but it passed.' };
  const [first, second] = result.errors;
  const described = describeError(first);
  // A timeout says only that time was up; what it waited for is in the next error.
  if (second && /^Test timeout of \d+ms exceeded/.test(plain(first.message)))
    described.message = cut(`${described.message}\n\n${plain(second.message)}`, LONGEST_MESSAGE);
  return described;
}

function describeError(error) {
  const stack = plain(error.stack);
  const frames = stack.search(/^[ \t]+at /m);
  return {
    message: cut(plain(error.message || error.value) || 'The test failed without a message.', LONGEST_MESSAGE),
    stack: frames < 0 ? undefined : cut(stack.slice(frames), LONGEST_STACK),
  };
}

function attachments(test) {
  const paths = test.results.flatMap((result) => result.attachments.map((attachment) => attachment.path));
  return paths.filter(Boolean).slice(0, MOST_ATTACHMENTS);
}

/** Without the terminal's colours. */
function plain(text) {
  // eslint-disable-next-line no-control-regex
  return (text || '').replace(/\x1b\[[0-9;]*[A-Za-z]/g, '');
}

function cut(text, length) {
  if (text.length <= length) return text;
  const note = `… [cut; ${text.length} characters in all]`;
  return text.slice(0, length - note.length) + note;
}

async function refusal(response) {
  const text = await response.text().catch(() => '');
  try {
    return JSON.parse(text).error.message;
  } catch {
    return cut(text.split(/\s+/).join(' '), 200);
  }
}

function reason(error) {
  if (error && error.name === 'TimeoutError') return 'Bottega did not answer in time.';
  // fetch says only "fetch failed"; why is in its cause.
  const cause = error && error.cause && (error.cause.message || error.cause.code);
  return plain(`${(error && error.message) || error}${cause ? ` (${cause})` : ''}`).split(/\s+/).join(' ');
}

function shown(address) {
  return address.origin;
}

function count(number, noun) {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function say(line) {
  console.log(`Bottega: ${line}`);
}

module.exports = BottegaReporter;
