// `jitney healthcheck`: asks a running Jitney whether it is well; made for the HEALTHCHECK of a container.

import { get } from 'node:http';
import { clientHost } from '../config/connection-string.js';
import type { Environment, Flags } from '../config/environment.js';
import { originOf } from '../config/setting-choice.js';
import { readSettings } from '../config/settings.js';
import { CommandError } from './command-error.js';
import { formatReport, reportOf } from './error-report.js';
import type { Write } from './log.js';

export type HealthcheckContext = {
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
    const report = reportOf(error);
    context.stderr(formatReport(report, error, false));
    return report.exitCode;
  }
}

/** Both ports answer; the first is asked where nobody names the second, whose default may be another Jitney's. */
function healthUrl(flags: Flags, environment: Environment): string {
  const { host, port, httpPort } = readSettings(flags, environment);
  const isNamed = (setting: keyof Flags) => originOf(setting, flags, environment) !== undefined;
  const asksFirst = httpPort === 'off' || (isNamed('port') && !isNamed('httpPort'));
  return `http://${clientHost(host)}:${asksFirst ? port : httpPort}/health`;
}

function checkHealth(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const unreachable = (cause: Error) =>
      reject(new CommandError('unreachable', `Nothing answers at ${url}: ${cause.message || cause}`, cause));
    const request = get(url, { agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) }, async (response) => {
      try {
        const body = (await response.setEncoding('utf8').toArray()).join('');
        if (response.statusCode === 200) resolve();
        else reject(new CommandError('unhealthy', `${url} answers ${response.statusCode}: ${body}`));
      } catch (error) {
        unreachable(error instanceof Error ? error : new Error(String(error)));
      }
    });
    request.on('error', unreachable);
  });
}
