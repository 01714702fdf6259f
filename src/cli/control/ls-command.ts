// `jitney ls`: lists the queues, topics and subscriptions of the running emulator with their counts.

import type { EntityAnswer, SubscriptionAnswer } from '../../http/control/control-schemas.js';
import type { CommandOutput } from '../output/command-context.js';
import { countOf } from '../output/output.js';
import { type Column, formatTable } from '../output/text-table.js';
import type { ControlClient } from './control-client.js';

/** A queue or topic, or a subscription of a topic. */
type Listed = Omit<EntityAnswer, 'subscriptions'> & {
  readonly subscriptions?: readonly SubscriptionAnswer[];
};

const COLUMNS: readonly Column[] = [
  { title: 'NAME' },
  { title: 'KIND' },
  ...['ACTIVE', 'LOCKED', 'SCHEDULED', 'DEFERRED', 'DEAD', 'SIZE', 'LINKS'].map((title) => {
    return { title, isNumber: true };
  }),
];
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];
const UNIT_STEP = 1024;

type Wanted = {
  /** Default: all entities by name. */
  readonly entities: readonly string[];
  readonly failsIfDeadLetters: boolean;
};

/** Resolves with the exit code: 1 for dead letters, if they are a failure. Throws a JitneyError for the first path that is not an entity. */
export async function listEntities(
  client: ControlClient,
  { entities: paths, failsIfDeadLetters }: Wanted,
  { stdout, stderr, isJson, paint }: CommandOutput,
): Promise<number> {
  const entities = paths.length === 0 ? await readAll(client) : await readThese(client, paths);
  const each = entities.flatMap(({ subscriptions = [], ...entity }) => [entity, ...subscriptions]);
  if (isJson) {
    stdout(each.map((entity) => `${JSON.stringify(entity)}\n`).join(''));
  } else if (entities.length === 0) {
    stderr(`The emulator at ${client.url} has no queue and no topic.\n`);
  } else stdout(formatTable(COLUMNS, entities.flatMap(rowsOf), paint));
  const dead = failsIfDeadLetters ? each.filter(({ counts }) => counts.deadLetter > 0) : [];
  for (const { path, counts } of isJson ? [] : dead) {
    stderr(
      `'${path}' has ${countOf(counts.deadLetter, 'dead letter')}:  jitney peek '${path}' --dead-letter${client.options}\n`,
    );
  }
  return dead.length === 0 ? 0 : 1;
}

async function readAll(client: ControlClient): Promise<readonly Listed[]> {
  const answer = await client.call<{ readonly entities: readonly Listed[] }>({ name: 'entities' });
  return answer.entities;
}

async function readThese(client: ControlClient, paths: readonly string[]): Promise<Listed[]> {
  const entities: Listed[] = [];
  for (const entity of paths) entities.push(await client.call({ name: 'entity', query: { entity } }));
  return entities;
}

function rowsOf(entity: Listed): string[][] {
  const { path, subscriptions = [] } = entity;
  return [rowOf(path, entity), ...subscriptions.map((one) => rowOf(`  ${one.name}`, one))];
}

function rowOf(name: string, { kind, status, counts, sizeBytes, links }: Listed): string[] {
  const { active, locked, scheduled, deferred, deadLetter } = counts;
  const linkCount = Object.values(links).reduce((sum, count) => sum + count, 0);
  return [
    name,
    status === 'Active' ? kind : `${kind} (${status})`,
    ...[active, locked, scheduled, deferred, deadLetter].map(String),
    sizeText(sizeBytes),
    String(linkCount),
  ];
}

/** A size such as `980 B` or `1.5 KB`, with 1,024 bytes in 1 KB. */
function sizeText(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= UNIT_STEP && unit < UNITS.length - 1) {
    size /= UNIT_STEP;
    unit += 1;
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${UNITS[unit]}`;
}
