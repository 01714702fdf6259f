// Opens a source of definitions: a file, standard input, or a live service.

import { readFile } from 'node:fs/promises';
import { AdminClient } from '../../client/admin-client.js';
import { listNamespace } from '../../client/list-namespace.js';
import { decodeText } from '../../config/config-text.js';
import type { Flags } from '../../config/environment.js';
import type { Settings } from '../../config/settings.js';
import { isConnectionString } from '../../config/shown-source.js';
import { whyUnreadable } from '../../config/why-unreadable.js';
import type { Definitions } from '../../definitions/definitions.js';
import { type DefinitionText, readDefinitions } from '../../definitions/read-definitions.js';
import { JitneyError } from '../../jitney-error.js';
import type { AskRunning } from '../control/running-authority.js';
import { findService } from '../messages/service-target.js';
import type { CommandContext } from '../output/command-context.js';

export type SourceContext = { readonly askRunning: AskRunning } & Pick<
  CommandContext,
  'environment' | 'stderr' | 'readInput' | 'interrupted' | 'now' | 'isTerminal'
>;

export type SourceOptions = {
  readonly flags: Flags;
  readonly settings: Settings;
  readonly connectionString?: string | undefined;
  readonly namespace?: string | undefined;
};

/** Definitions, and a name for their source that holds no key. */
export type NamedDefinitions = { readonly name: string; readonly definitions: Definitions };

export const INPUT = { word: '-', name: 'stdin' } as const;
const TERMINAL_INTERVAL_MS = 1000;
const LOG_INTERVAL_MS = 10_000;

/** Undefined means the service that options and variables name, or the emulator of this machine. Throws a JitneyError. */
export async function openSource(
  source: string | undefined,
  options: SourceOptions,
  context: SourceContext,
): Promise<NamedDefinitions> {
  if (source === undefined || isConnectionString(source)) return openService(source, options, context);
  const { importParameters } = options.settings;
  const [given, parameters] = await Promise.all([
    readSource(source, context),
    importParameters === undefined ? undefined : readSource(importParameters, context),
  ]);
  const definitions = readDefinitions(given, { parameters, namespace: options.namespace });
  return { name: given.name, definitions };
}

async function openService(
  source: string | undefined,
  { flags, settings, connectionString, namespace }: SourceOptions,
  context: SourceContext,
): Promise<NamedDefinitions> {
  const { environment, askRunning } = context;
  // A source names its service alone: a port given for another source does not count.
  const where = source === undefined ? { connectionString, flags } : { connectionString: source, flags: {} };
  const choice = { ...where, namespace, transport: 'amqp', settings, environment, askRunning } as const;
  const { service } = await findService(choice);
  const client = new AdminClient(service, { interrupted: context.interrupted });
  try {
    const { queues, topics } = await listNamespace(client, { onProgress: progressOn(context) });
    return { name: service.host, definitions: { queues, topics, notes: [] } };
  } finally {
    client.close();
  }
}

/** Prints a line at most once a second on a terminal, and each 10 s otherwise. */
function progressOn({ stderr, now, isTerminal }: SourceContext): (count: number) => void {
  const intervalMs = isTerminal ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS;
  let lastMs = now();
  return (count) => {
    if (now() - lastMs < intervalMs) return;
    lastMs = now();
    stderr(`${count} entities read\n`);
  };
}

async function readSource(source: string, { readInput }: SourceContext): Promise<DefinitionText> {
  if (source === INPUT.word) return { name: INPUT.name, text: decodeText(await readInput()) };
  try {
    return { name: source, text: decodeText(await readFile(source)) };
  } catch (error) {
    const why = await whyUnreadable(source, error);
    throw new JitneyError('definitions-unreadable', `Cannot read ${source}: ${why}`, { cause: error });
  }
}
