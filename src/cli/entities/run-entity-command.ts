// Runs a command that creates, changes or deletes entities: finds the service, does one entity after the other, and says what was done.

import { AdminClient } from '../../client/admin-client.js';
import { readSettings, type Settings } from '../../config/settings.js';
import { JitneyError, type JitneyErrorKind } from '../../jitney-error.js';
import type { AskRunning } from '../control/running-authority.js';
import { targetOptions } from '../control/target-options.js';
import { connectFailure } from '../messages/client-failure.js';
import { refuseOther } from '../messages/run-message-command.js';
import { findService } from '../messages/service-target.js';
import type { CommandContext } from '../output/command-context.js';
import type { Confirm } from '../output/confirm.js';
import { printError } from '../output/error-report.js';
import { countOf } from '../output/output.js';
import { changeEntity, type Done } from './change-entity.js';
import { destinationsFirst } from './create-order.js';
import type { EntityRequest } from './entity-commands.js';
import { type Named, nameOf, pathTextOf, readSpecs } from './read-specs.js';

export type EntityContext = Pick<CommandContext, 'environment' | 'print' | 'stderr' | 'interrupted'> & {
  readonly askRunning: AskRunning;
  /** Undefined without a terminal, where a question would have no answer. */
  readonly confirm: Confirm | undefined;
};

const DONE = { create: 'Created', update: 'Updated', delete: 'Deleted' } as const;
/** Errors of one entity, after which the others are still worked on. */
const OF_ONE_ENTITY: readonly JitneyErrorKind[] = [
  'entity-exists',
  'entity-fixed',
  'no-entity',
  'other-entity',
  'refused',
];

/** Resolves with the exit code. */
export async function runEntityCommand(request: EntityRequest, context: EntityContext): Promise<number> {
  const { environment, interrupted, stderr, askRunning } = context;
  const { own, flags } = request;
  const command = `${request.change} ${request.kind}`;
  let settings: Settings | undefined;
  let client: AdminClient | undefined;
  try {
    settings = readSettings(flags, environment);
    const specified = readSpecs(request);
    const named = request.change === 'create' ? destinationsFirst(specified) : specified;
    const { connectionString, namespace } = own;
    const where = { connectionString, namespace, transport: 'amqp', flags } as const;
    const { service, entityPath, from } = await findService({ ...where, settings, environment, askRunning });
    for (const one of named) refuseOther(pathTextOf(one), entityPath);
    const onBusy = (waitMs: number) => stderr(`The service is busy: waiting ${Math.ceil(waitMs / 1000)} s\n`);
    client = new AdminClient(service, { interrupted, onBusy });
    return await changeAll(named, client, request, context).catch((error) => {
      throw connectFailure(error, { service, from });
    });
  } catch (error) {
    return printError(error, settings, { stderr, command, isJson: request.own.json });
  } finally {
    client?.close();
  }
}

async function changeAll(
  all: readonly Named[],
  client: AdminClient,
  request: EntityRequest,
  { print, stderr, interrupted, confirm }: EntityContext,
): Promise<number> {
  const { change, kind, own } = request;
  const { json = false, ifMissing = false, yes = false } = own;
  const options = targetOptions({ ...request.flags, ...own });
  const manner = { change, leavesExisting: ifMissing, isSure: yes, confirm, options };
  let exitCode = 0;
  let count = 0;
  for (const one of all) {
    try {
      const done = await changeEntity(one, client, manner);
      if (done !== undefined) await print(json ? jsonOf(one, request, done) : textOf(one, request, done));
      count += 1;
    } catch (error) {
      if (interrupted.aborted && all.length > 1)
        stderr(`Interrupted: ${count} of ${countOf(all.length, kind)} done\n`);
      if (!(error instanceof JitneyError) || !OF_ONE_ENTITY.includes(error.kind)) throw error;
      exitCode = printError(error, undefined, { stderr, command: `${change} ${kind}`, isJson: json });
    }
  }
  return exitCode;
}

function textOf(one: Named, { change }: EntityRequest, { differences }: Done): string {
  const name = `${one.type} '${nameOf(one)}'`;
  if (change !== 'update') return `${DONE[change]} ${name}\n`;
  if (differences.length === 0) return `Nothing to change in ${name}\n`;
  const changes = differences.map(
    ({ name, before, after }) => `${name} ${before ?? 'none'} -> ${after ?? 'none'}`,
  );
  return `${DONE.update} ${name}: ${changes.join(', ')}\n`;
}

function jsonOf(one: Named, { change }: EntityRequest, { differences }: Done): string {
  const shown = differences.map(({ name, before = null, after = null }) => ({ name, before, after }));
  const done = { done: DONE[change].toLowerCase(), type: one.type, path: pathTextOf(one) };
  return `${JSON.stringify(change === 'update' ? { ...done, differences: shown } : done)}\n`;
}
