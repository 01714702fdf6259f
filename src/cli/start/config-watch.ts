// Watches the Config.json of a running emulator: applies each change, and says what it did and what it left.

import type { AppliedChange } from '../../config/apply-entities.js';
import {
  type ConfiguredEntities,
  collectEntities,
  DEFAULT_CONFIG_FILE,
} from '../../config/configured-entities.js';
import { givenTopicOf } from '../../config/configured-topic.js';
import { givenQueueOf } from '../../config/given-queue.js';
import type { Settings } from '../../config/settings.js';
import type { Emulator } from '../../emulator.js';
import { JitneyError } from '../../jitney-error.js';
import { reportOf, stackOf } from '../output/error-report.js';
import type { Log } from '../output/output.js';
import { locationOf, withLocation } from './emulator-start.js';

/** Calls the function after each change of a file. Returns a function that ends this. */
export type WatchFile = (path: string, onChange: () => void) => () => void;

type Watch = {
  readonly emulator: Pick<Emulator, 'configure' | 'namespace'>;
  readonly log: Log;
  readonly watchFile: WatchFile | undefined;
};

/** The file as it is now is applied to the emulator. */
type Application = Pick<Watch, 'emulator' | 'log'> & {
  /** The namespaces of the file so far, besides the first one. */
  readonly known: Set<string>;
  /** Whether it is only what has changed since the start. */
  readonly isFirst: boolean;
};

const DONE = { created: 'Created', changed: 'Changed', deleted: 'Deleted' } as const;

/** Throws a JitneyError for `--watch` without a Config.json, and for `--prune` without `--watch`. */
export function refuseUselessWatch({ watch, prune, configFile, importSource }: Settings): void {
  if (prune && !watch) {
    throw new JitneyError(
      'bad-option',
      '--prune is about a file that changes while the emulator runs: add --watch',
    );
  }
  if (!watch || (configFile !== undefined && configFile !== DEFAULT_CONFIG_FILE)) return;
  if (importSource !== undefined) {
    const text =
      '--watch watches a Config.json, and --import reads its source once: write the file with "jitney import <source> --output Config.json", and start with --config Config.json --watch';
    throw new JitneyError('bad-option', text);
  }
  throw new JitneyError('bad-option', '--watch needs a file to watch: name a Config.json with --config');
}

export function watchConfig(settings: Settings, { emulator, log, watchFile }: Watch): () => void {
  const { configFile } = settings;
  if (configFile === undefined || watchFile === undefined) return () => {};
  // One change after the other. Each reads the file as it then is.
  let last = Promise.resolve();
  const known = new Set<string>();
  const applyNext = (isFirst: boolean) => {
    last = last.then(() => apply(settings, { emulator, log, known, isFirst }));
  };
  const end = watchFile(configFile, () => applyNext(false));
  applyNext(true); // what has changed since the start has read it
  return end;
}

async function apply(settings: Settings, { emulator, log, known, isFirst }: Application): Promise<void> {
  try {
    const configured = await collectEntities(settings);
    if (!isFirst) for (const warning of configured.warnings) log.warn(warning);
    const entities = {
      queues: configured.queues.map(givenQueueOf),
      topics: configured.topics.map(givenTopicOf),
    };
    const changes = await emulator.configure(entities, { prune: settings.prune }).catch((error: unknown) => {
      throw withLocation(error, (refused) => locationOf(refused, settings, configured));
    });
    for (const change of changes) note(change, settings, configured, log);
    const others = await applyToOthers(settings, configured, { emulator, log });
    for (const { name, changes: own } of others) {
      for (const change of own) note(change, settings, configured, log, `[${name}] `);
    }
    const count = others.reduce((sum, { changes: own }) => sum + own.length, changes.length);
    const hasNew = others.some(({ name }) => !known.has(name));
    for (const { name } of others) {
      if (!known.has(name) && !isFirst) log.info(`Started the namespace '${name}'`);
      known.add(name);
    }
    if (count === 0 && !hasNew && !isFirst) {
      log.info(`${settings.configFile} has changed, and no entity with it`);
    }
  } catch (error) {
    noteRefusal(error, settings, log, 'Nothing has changed.');
  }
}

function noteRefusal(error: unknown, settings: Settings, log: Log, unchanged: string): void {
  const { code, message, help } = reportOf(error, settings);
  const lines = [`${code} ${message}`, ...help, unchanged];
  log.error(lines.join('; '), {
    kind: 'config-refused',
    code,
    stack: log.isDebug ? stackOf(error) : undefined,
  });
}

/** Applies the namespaces of the file behind its first one; one that is new is started. */
async function applyToOthers(
  settings: Settings,
  { namespaces }: ConfiguredEntities,
  { emulator, log }: Pick<Watch, 'emulator' | 'log'>,
): Promise<readonly { readonly name: string; readonly changes: readonly AppliedChange[] }[]> {
  const applied: { name: string; changes: readonly AppliedChange[] }[] = [];
  for (const { name, queues, topics } of namespaces) {
    const entities = { queues: queues.map(givenQueueOf), topics: topics.map(givenTopicOf) };
    try {
      const namespace = await emulator.namespace(name, entities);
      applied.push({ name, changes: await namespace.configure(entities, { prune: settings.prune }) });
    } catch (error) {
      noteRefusal(error, settings, log, `Nothing has changed in the namespace '${name}'.`);
    }
  }
  return applied;
}

function note(
  change: AppliedChange,
  { configFile }: Settings,
  { locations }: ConfiguredEntities,
  log: Log,
  prefix = '',
): void {
  const { kind, type, path, entity, property, text } = change;
  const name = `${prefix}${type} '${path}'`;
  if (kind !== 'kept') {
    log.info(`${DONE[kind]} ${name}${text === '' ? '' : `: ${text}`}`, {
      kind: `config-${kind}`,
      entity: path,
    });
    return;
  }
  const where = property === undefined ? undefined : locations.positionOf(entity, property);
  const why =
    property === undefined
      ? `it is no longer in ${configFile}; --prune deletes such entities`
      : `${text}${where === undefined ? '' : ` (${where})`}`;
  log.warn(`Kept ${name} as it is: ${why}`, { kind: 'config-kept', entity: path });
}
