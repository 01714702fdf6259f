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

const DONE = { created: 'Created', changed: 'Changed', deleted: 'Deleted' } as const;

/** Throws a JitneyError for `--watch` without a file, and for `--prune` without `--watch`. */
export function refuseUselessWatch({ watch, prune, configFile }: Settings): void {
  if (prune && !watch) {
    throw new JitneyError(
      'bad-option',
      '--prune is about a file that changes while the emulator runs: add --watch',
    );
  }
  if (!watch || (configFile !== undefined && configFile !== DEFAULT_CONFIG_FILE)) return;
  throw new JitneyError('bad-option', '--watch needs a file to watch: name a Config.json with --config');
}

/** Returns a function that ends the watch. */
export function watchConfig(settings: Settings, { emulator, log, watchFile }: Watch): () => void {
  const { configFile } = settings;
  if (configFile === undefined || watchFile === undefined) return () => {};
  // One change after the other. Each reads the file as it then is.
  let last = Promise.resolve();
  const applyNext = (isFirst: boolean) => {
    last = last.then(() => apply(settings, emulator, log, isFirst));
  };
  const end = watchFile(configFile, () => applyNext(false));
  applyNext(true); // what has changed since the start has read it
  return end;
}

async function apply(
  settings: Settings,
  emulator: Watch['emulator'],
  log: Log,
  isFirst: boolean,
): Promise<void> {
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
    const others = await applyToOthers(settings, configured, emulator);
    for (const { name, change } of others) note(change, settings, configured, log, `[${name}] `);
    if (changes.length + others.length === 0 && !isFirst) {
      log.info(`${settings.configFile} has changed, and no entity with it`);
    }
  } catch (error) {
    const { code, message, help } = reportOf(error, settings);
    const lines = [`${code} ${message}`, ...help, 'Nothing has changed.'];
    log.error(lines.join('; '), {
      kind: 'config-refused',
      code,
      stack: log.isDebug ? stackOf(error) : undefined,
    });
  }
}

/** Applies the namespaces of the file behind its first one; one that is new is started. */
async function applyToOthers(
  { prune }: Settings,
  { namespaces }: ConfiguredEntities,
  emulator: Watch['emulator'],
): Promise<readonly { readonly name: string; readonly change: AppliedChange }[]> {
  const applied: { name: string; change: AppliedChange }[] = [];
  for (const { name, queues, topics } of namespaces) {
    const entities = { queues: queues.map(givenQueueOf), topics: topics.map(givenTopicOf) };
    const namespace = await emulator.namespace(name, entities);
    const changes = await namespace.configure(entities, { prune });
    applied.push(...changes.map((change) => ({ name, change })));
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
