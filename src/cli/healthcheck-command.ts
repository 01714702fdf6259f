// `jitney healthcheck`: queries the health of a running Jitney, for the HEALTHCHECK of a container.

import { clientHost } from '../config/connection-string.js';
import { type Environment, type FlagOption, type Flags, originOf } from '../config/environment.js';
import { readSettings } from '../config/settings.js';
import { CommandError, formatReport, reportOf } from './error-report.js';
import { readAnswer } from './http-answer.js';
import type { Write } from './output.js';

type HealthcheckContext = {
  readonly environment: Environment;
  readonly stdout: Write;
  readonly stderr: Write;
};

const TIMEOUT_MS = 2000;

/** Resolves with the exit code: 0 when healthy. */
export async function runHealthcheck(flags: Flags, context: HealthcheckContext): Promise<number> {
  try {
    await checkHealth(healthUrl(flags, context.environment));
    context.stdout('healthy\n');
    return 0;
  } catch (error) {
    const report = reportOf(error, undefined, { command: 'healthcheck' });
    context.stderr(formatReport(report, error, false));
    return report.exitCode;
  }
}

/** Both ports answer. When only the first is given it is used: the second's default may belong to another Jitney. */
function healthUrl(flags: Flags, environment: Environment): string {
  const { host, port, httpPort } = readSettings(flags, environment);
  const isNamed = (setting: FlagOption) => originOf(setting, flags, environment) !== undefined;
  const usesFirst = httpPort === 'off' || (isNamed('port') && !isNamed('httpPort'));
  return `http://${clientHost(host)}:${usesFirst ? port : httpPort}/health`;
}

async function checkHealth(url: string): Promise<void> {
  const { status, text } = await readAnswer(url, { timeoutMs: TIMEOUT_MS }).catch((cause) => {
    throw new CommandError('unreachable', `Nothing answers at ${url}: ${cause.message || cause}`, cause);
  });
  if (status !== 200) throw new CommandError('unhealthy', `${url} answers ${status}: ${text}`);
}
