// `jitney healthcheck`: queries the health of a running Jitney, for the HEALTHCHECK of a container.

import { clientHost } from '../../config/connection-string.js';
import { type Environment, type FlagOption, type Flags, originOf } from '../../config/environment.js';
import { refusing } from '../../config/options/option-types.js';
import { readSettings } from '../../config/settings.js';
import { parseSpan } from '../../description/duration.js';
import { shown } from '../../description/value-error.js';
import { isOfKind, JitneyError } from '../../jitney-error.js';
import type { CommandContext } from '../output/command-context.js';
import { formatReport, reportOf } from '../output/error-report.js';
import { readAnswer } from './http-answer.js';
import { targetOptions } from './target-options.js';

/** How long to wait, and for which process, as unchecked texts. */
export type WaitFlags = { readonly wait?: string; readonly pid?: string };

type HealthcheckContext = Pick<CommandContext, 'environment' | 'stdout' | 'stderr' | 'now' | 'sleep'> & {
  /** Whether there is a process with this id. */
  readonly isRunning: (pid: number) => boolean;
};

const TIMEOUT_MS = 2000;
const PAUSE_MS = 200;

/** Resolves with the exit code: 0 when healthy. */
export async function runHealthcheck(
  { wait, pid, ...flags }: Flags & WaitFlags,
  context: HealthcheckContext,
): Promise<number> {
  try {
    const waitMs = wait === undefined ? 0 : refusing('bad-option', '--wait', () => parseSpan(wait));
    const processId = pid === undefined ? undefined : readProcessId(pid);
    await waitForHealth(healthUrl(flags, context.environment), { waitMs, processId }, context).catch(
      (error) => {
        throw withStart(error, flags);
      },
    );
    context.stdout('healthy\n');
    return 0;
  } catch (error) {
    const report = reportOf(error, undefined, { command: 'healthcheck' });
    context.stderr(formatReport(report, error, false));
    return report.exitCode;
  }
}

/** Adds how to start an emulator that would answer. */
function withStart(error: unknown, flags: Flags): unknown {
  if (!isOfKind(error, 'unreachable')) return error;
  const { kind, message, cause } = error;
  return new JitneyError(kind, message, {
    problems: [`Start it:  jitney start${targetOptions(flags)}`],
    cause,
  });
}

function readProcessId(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new JitneyError('bad-option', `--pid must be the id of a process, such as $!, not ${shown(text)}`);
}

type Wait = { readonly waitMs: number; readonly processId: number | undefined };

/** Checks until the emulator is healthy. Throws a JitneyError if the time is over or the process has ended. */
async function waitForHealth(
  url: string,
  { waitMs, processId }: Wait,
  { now, sleep, isRunning }: HealthcheckContext,
): Promise<void> {
  const end = now() + waitMs;
  for (;;) {
    // Asked before the health check, so that an emulator that ends during it is noticed in the next round.
    if (processId !== undefined && !isRunning(processId)) {
      throw new JitneyError(
        'unreachable',
        `Process ${processId} has ended, so nothing will answer at ${url}`,
      );
    }
    try {
      return await checkHealth(url);
    } catch (error) {
      if (now() + PAUSE_MS > end) throw error;
    }
    await sleep(PAUSE_MS);
  }
}

/** The URL on the second port. Both ports answer, so if only the first is given, that is used: the default of the second may belong to another Jitney. */
function healthUrl(flags: Flags, environment: Environment): string {
  const { host, port, httpPort } = readSettings(flags, environment);
  const isNamed = (setting: FlagOption) => originOf(setting, flags, environment) !== undefined;
  const usesFirst = httpPort === 'off' || (isNamed('port') && !isNamed('httpPort'));
  return `http://${clientHost(host)}:${usesFirst ? port : httpPort}/health`;
}

async function checkHealth(url: string): Promise<void> {
  const { status, text } = await readAnswer(url, { timeoutMs: TIMEOUT_MS }).catch((cause) => {
    throw new JitneyError('unreachable', `Nothing answers at ${url}: ${cause.message || cause}`, { cause });
  });
  if (status !== 200) throw new JitneyError('unhealthy', `${url} answers ${status}: ${text}`);
}
