import type { FullConfig, FullResult, Reporter, Suite, TestError } from '@playwright/test/reporter';

interface BottegaReporterOptions {
  /** Where Bottega answers. Default: `BOTTEGA_URL`, or http://127.0.0.1:3000. */
  url?: string;
  /** The project on the board. Default: `BOTTEGA_PROJECT_ID`. */
  projectId?: string;
  /** Needed if Bottega asks for one. Default: `BOTTEGA_TOKEN`. */
  token?: string;
  /** How long Bottega may take to answer, in milliseconds. Default: 10000. */
  timeoutMs?: number;
}

/** Sends one report when a run ends, and never fails the run. */
declare class BottegaReporter implements Reporter {
  constructor(options?: BottegaReporterOptions);
  printsToStdio(): boolean;
  onBegin(config: FullConfig, suite: Suite): void;
  onError(error: TestError): void;
  onEnd(result: FullResult): Promise<void>;
}

declare namespace BottegaReporter {
  export type { BottegaReporterOptions };
}

export = BottegaReporter;
