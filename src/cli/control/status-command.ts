// `jitney status`: says which emulator runs, since when, and what it holds.

import type {
  ConnectionsAnswer,
  EntitiesAnswer,
  EntityAnswer,
  InfoAnswer,
} from '../../http/control/control-schemas.js';
import { type Paint, unpainted } from '../output/colour.js';
import type { CommandOutput } from '../output/command-context.js';
import { localTime } from '../output/local-time.js';
import { oneLine } from '../output/one-line.js';
import { countOf } from '../output/output.js';
import type { ControlClient } from './control-client.js';

const STATES = ['active', 'locked', 'scheduled', 'deferred', 'deadLetter'] as const;
type Counts = Readonly<Record<(typeof STATES)[number], number>>;

const LABEL_WIDTH = 10;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export async function showStatus(
  client: ControlClient,
  { stdout, isJson, paint = unpainted }: CommandOutput,
): Promise<void> {
  const info = await client.call<InfoAnswer>({ name: 'info' });
  const { entities } = await client.call<EntitiesAnswer>({ name: 'entities' });
  const { connections } = await client.call<ConnectionsAnswer>({ name: 'connections' });
  const { version, startedTime, uptimeMs, auth, tier, ports, settings } = info;
  const all = entities.flatMap((entity): readonly EntityAnswer[] =>
    entity.kind === 'topic' ? [entity, ...entity.subscriptions] : [entity],
  );
  const numberOf = (kind: EntityAnswer['kind']) => all.filter((one) => one.kind === kind).length;
  const status = {
    url: client.url,
    version,
    startedTime,
    uptimeMs,
    auth,
    tier,
    ports,
    ...(settings.dataDirectory === undefined ? {} : { dataDirectory: settings.dataDirectory }),
    entities: {
      queues: numberOf('queue'),
      topics: numberOf('topic'),
      subscriptions: numberOf('subscription'),
    },
    messages: Object.fromEntries(
      STATES.map((state) => [state, all.reduce((sum, { counts }) => sum + counts[state], 0)]),
    ) as Counts,
    connectionCount: connections.length,
  };
  stdout(isJson ? `${JSON.stringify(status)}\n` : textOf(status, paint));
}

type Status = Pick<InfoAnswer, 'version' | 'startedTime' | 'uptimeMs' | 'auth' | 'tier' | 'ports'> & {
  readonly url: string;
  readonly dataDirectory?: unknown;
  readonly entities: Readonly<Record<'queues' | 'topics' | 'subscriptions', number>>;
  readonly messages: Counts;
  readonly connectionCount: number;
};

function textOf(
  { url, version, startedTime, uptimeMs, ports, entities, messages, ...more }: Status,
  paint: Paint,
): string {
  const { active, locked, scheduled, deferred, deadLetter } = messages;
  const since = localTime(startedTime).slice(0, -'.000'.length);
  const rows = [
    ['Jitney', `${version} at ${url}, ports ${Object.values(ports).join(', ')}`],
    ['Since', `${since}, for ${roughly(uptimeMs)}`],
    ['Data', more.dataDirectory === undefined ? 'in memory' : oneLine(String(more.dataDirectory))],
    [
      'Entities',
      [
        countOf(entities.queues, 'queue'),
        countOf(entities.topics, 'topic'),
        countOf(entities.subscriptions, 'subscription'),
      ].join(', '),
    ],
    [
      'Messages',
      `${active} active, ${locked} locked, ${scheduled} scheduled, ${deferred} deferred, ${countOf(deadLetter, 'dead letter')}`,
    ],
    ['Clients', countOf(more.connectionCount, 'connection')],
  ];
  return rows.map(([label = '', value]) => `${paint('quiet', label.padEnd(LABEL_WIDTH))}${value}\n`).join('');
}

/** The largest whole unit, such as `2 hours`. */
function roughly(ms: number): string {
  const units = [
    ['day', DAY_MS],
    ['hour', HOUR_MS],
    ['minute', MINUTE_MS],
  ] as const;
  const [unit, unitMs] = units.find(([, size]) => ms >= size) ?? (['second', SECOND_MS] as const);
  return countOf(Math.floor(ms / unitMs), unit);
}
