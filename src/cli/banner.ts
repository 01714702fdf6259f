// What the command prints once it is ready: where it is, what it serves, whose defaults apply, and the line that scripts wait for.

import {
  type ConfiguredEntities,
  DEFAULT_CONFIG_FILE,
  type EntityCounts,
} from '../config/configured-entities.js';
import type { Settings } from '../config/settings.js';
import type { Emulator } from '../emulator.js';
import { countOf } from './count-text.js';

export type BannerFacts = {
  readonly version: string;
  readonly emulator: Pick<
    Emulator,
    'connectionString' | 'host' | 'port' | 'httpPort' | 'tlsPort' | 'httpsPort' | 'kept'
  >;
  readonly settings: Settings;
  readonly configured: ConfiguredEntities;
  readonly elapsedMs: number;
};

type Row = readonly [label: string, value: string];

const LABEL_WIDTH = 14;
const NAMES_SHOWN = 5;

export function formatBanner(facts: BannerFacts): string {
  const { version, emulator, settings } = facts;
  const rows: readonly Row[] = [
    [
      'Service Bus',
      `sb://${emulator.host}:${emulator.port}   ${protocols(settings)}; ${reach(settings.host)}`,
    ],
    ...tlsPorts(emulator),
    ...certificate(settings),
    ...access(settings),
    ['Health', healthUrl(emulator)],
    ['Data', settings.dataDirectory ?? 'in memory, gone when this stops   (--data <dir> keeps it)'],
    ...kept(emulator),
    ['Queues', listOf(queueNames(facts.configured))],
    ['Topics', listOf(topicNames(facts.configured))],
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

function protocols({ tls }: Settings): string {
  return tls === 'off' ? 'AMQP, HTTP, WebSocket' : 'AMQP, HTTP, WebSocket, TLS';
}

/** The extra ones: the others speak TLS too. */
function tlsPorts({ host, tlsPort, httpsPort }: BannerFacts['emulator']): Row[] {
  const urls = [
    ...(tlsPort === undefined ? [] : [`amqps://${host}:${tlsPort}`]),
    ...(httpsPort === undefined ? [] : [`https://${host}:${httpsPort}`]),
  ];
  return urls.length === 0 ? [] : [['TLS', urls.join('   ')]];
}

/** Nothing about the emulator's own, which is trusted once and for all: see \`jitney certs\`. */
function certificate({ tls, cert, certDirectory }: Settings): Row[] {
  if (tls === 'off') return [];
  if (cert !== undefined) return [['Certificate', `your own, ${cert}`]];
  if (certDirectory !== undefined) return [];
  return [['Certificate', 'gone when this stops   (--cert-directory <dir> keeps it)']];
}

function access({ auth }: Settings): Row[] {
  return auth === 'any' ? [] : [['Access', 'strict: keys and tokens are checked']];
}

function reach(host: string): string {
  return host.toLowerCase() === 'localhost' ? 'for this machine only' : `listening on ${host}`;
}

function healthUrl({ host, port, httpPort }: BannerFacts['emulator']): string {
  return `http://${host}:${httpPort ?? port}/health`;
}

/** Messages of yesterday come out first, so those that have some are named before the others. */
function kept({ kept: { queues, topics } }: BannerFacts['emulator']): Row[] {
  const all = [...queues, ...topics];
  if (all.length === 0) return [];
  const withMessages = all.filter(({ messageCount }) => messageCount > 0);
  const names = [
    ...withMessages.map(({ name, messageCount }) => `${name} (${countOf(messageCount, 'message')})`),
    ...all.filter(({ messageCount }) => messageCount === 0).map(({ name }) => name),
  ];
  const messageCount = withMessages.reduce((sum, one) => sum + one.messageCount, 0);
  const counts = `${countsOf({ queues: queues.length, topics: topics.length })} with ${countOf(messageCount, 'message')}`;
  return [['Kept', `${counts} of earlier starts: ${shortened(names)}   (--reset removes them)`]];
}

function queueNames({ queues }: ConfiguredEntities): string[] {
  return queues.map(({ name, requiresSession }) => (requiresSession ? `${name} (sessions)` : name));
}

function topicNames({ topics }: ConfiguredEntities): string[] {
  return topics.map(
    ({ description, subscriptions }) =>
      `${description.name} (${countOf(subscriptions.length, 'subscription')})`,
  );
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? 'none named' : `${names.length}: ${shortened(names)}`;
}

function shortened(names: readonly string[]): string {
  return `${names.slice(0, NAMES_SHOWN).join(', ')}${names.length > NAMES_SHOWN ? ', ...' : ''}`;
}

/** The two sets differ (10 deliveries or 3, messages that live for ever or an hour), so it is said which is whose. */
function defaultsOf({ settings, configured }: BannerFacts): string {
  const { named, fromFile } = configured;
  const ofFile = countsOf(fromFile);
  const ofNamed = [
    ...given(named.queues, 'queue', settings.queuesFrom),
    ...given(named.topics, 'topic', settings.topicsFrom),
  ];
  const sets = [
    ...(ofFile === '' ? [] : [`the official emulator's for ${ofFile} of ${configName(settings)}`]),
    ...(ofNamed.length === 0 ? [] : [`Azure's for ${ofNamed.join(' and ')}`]),
  ];
  return sets.length === 0 ? 'not needed' : sets.join('; ');
}

function configName({ configFile, configJson }: Settings): string | undefined {
  if (configJson !== undefined) return configJson.name;
  return configFile === DEFAULT_CONFIG_FILE ? 'the default Config.json' : configFile;
}

function countsOf({ queues, topics }: EntityCounts): string {
  return [
    ...(queues === 0 ? [] : [countOf(queues, 'queue')]),
    ...(topics === 0 ? [] : [countOf(topics, 'topic')]),
  ].join(' and ');
}

function given(count: number, what: string, from: string | undefined): string[] {
  return count === 0 ? [] : [`${countOf(count, what)} given by ${from}`];
}
