// What the command prints once it is ready: where it is, what it serves, whose defaults apply, and the line that scripts wait for.

import { type ConfiguredQueues, DEFAULT_CONFIG_FILE } from '../config/configured-queues.js';
import type { Settings } from '../config/settings.js';
import type { Emulator } from '../emulator.js';

export type BannerFacts = {
  readonly version: string;
  readonly emulator: Pick<Emulator, 'connectionString' | 'host' | 'port' | 'httpPort'>;
  readonly settings: Settings;
  readonly configured: ConfiguredQueues;
  readonly elapsedMs: number;
};

const LABEL_WIDTH = 14;
const NAMES_SHOWN = 5;

export function formatBanner(facts: BannerFacts): string {
  const { version, emulator, settings } = facts;
  const rows: readonly (readonly [string, string])[] = [
    ['Service Bus', `sb://${emulator.host}:${emulator.port}   AMQP, ${reach(settings.host)}`],
    ['Health', healthUrl(emulator)],
    ['Data', settings.dataDirectory ?? 'in memory, gone when this stops   (--data <dir> keeps it)'],
    ['Queues', queueNames(facts.configured)],
    ['Defaults', defaultsOf(facts)],
    ['Connection', emulator.connectionString],
  ];
  return [
    `jitney ${version}   for development and tests, not for production use`,
    ...rows.map(([label, value]) => `${label.padEnd(LABEL_WIDTH)}${value}`),
    // Word for word the official emulator's: Testcontainers modules wait for it.
    `Emulator Service is Successfully Up! (${Math.round(facts.elapsedMs)} ms)`,
    '',
  ].join('\n');
}

function reach(host: string): string {
  return host.toLowerCase() === 'localhost' ? 'for this machine only' : `listening on ${host}`;
}

function healthUrl({ host, httpPort }: BannerFacts['emulator']): string {
  return httpPort === undefined ? 'off' : `http://${host}:${httpPort}/health`;
}

function queueNames({ queues }: ConfiguredQueues): string {
  const more = queues.length > NAMES_SHOWN ? ', ...' : '';
  const names = queues
    .slice(0, NAMES_SHOWN)
    .map(({ name, requiresSession }) => (requiresSession ? `${name} (sessions)` : name));
  return queues.length === 0 ? 'none named' : `${queues.length}: ${names.join(', ')}${more}`;
}

/** The two sets differ (10 deliveries or 3, messages that live for ever or an hour), so it is said which is whose. */
function defaultsOf({ settings, configured }: BannerFacts): string {
  const { fromFileCount, namedCount } = configured;
  const file = settings.configFile === DEFAULT_CONFIG_FILE ? 'the default Config.json' : settings.configFile;
  const sets = [
    ...(fromFileCount > 0 ? [`the official emulator's for ${countOf(fromFileCount)} of ${file}`] : []),
    ...(namedCount > 0 ? [`Azure's for ${countOf(namedCount)} given by --queue or JITNEY_QUEUES`] : []),
  ];
  return sets.length === 0 ? 'not needed' : sets.join('; ');
}

function countOf(count: number): string {
  return count === 1 ? '1 queue' : `${count} queues`;
}
