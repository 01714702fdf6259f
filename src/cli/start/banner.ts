// The banner of a started emulator: its addresses, entities and defaults, and the line that scripts wait for.

import {
  type ConfiguredEntities,
  DEFAULT_CONFIG_FILE,
  type EntityCounts,
} from '../../config/configured-entities.js';
import { clientPolicy, isLoopback } from '../../config/connection-string.js';
import { listNamespaces } from '../../config/given-namespaces.js';
import type { Settings } from '../../config/settings.js';
import type { Emulator } from '../../emulator.js';
import { portOption } from '../control/target-options.js';
import { type Paint, unpainted } from '../output/colour.js';
import { countOf } from '../output/output.js';

export type BannerFacts = {
  readonly version: string;
  readonly emulator: Pick<
    Emulator,
    'connectionString' | 'host' | 'port' | 'httpPort' | 'tlsPort' | 'httpsPort' | 'kept' | 'clock'
  >;
  readonly settings: Settings;
  readonly configured: ConfiguredEntities;
  readonly elapsedMs: number;
  /** Whether this runs in a container, whose engine decides who reaches it. */
  readonly isInContainer?: boolean;
  /** Whether a person reads the banner on a terminal, so that it is not kept as a log. */
  readonly isTerminal?: boolean;
  /** Default: no colour. */
  readonly paint?: Paint | undefined;
};

type Row = readonly [label: string, value: string];

const LABEL_WIDTH = 14;
const NAMES_SHOWN = 5;

export function formatBanner(facts: BannerFacts): string {
  const { version, emulator, settings, paint = unpainted } = facts;
  const rows: readonly Row[] = [
    [
      'Service Bus',
      `sb://${emulator.host}:${emulator.port}   ${protocols(settings)}; ${reach(settings.host)}`,
    ],
    ...otherMachines(facts),
    ...tlsPorts(emulator),
    ...certificate(settings),
    ...access(settings),
    ...pageRow(facts),
    ['Health', healthUrl(emulator)],
    ['Data', settings.dataDirectory ?? 'in memory, lost when this stops   (--data <dir> keeps it)'],
    ...keptRow(emulator),
    ...clockRow(emulator),
    ['Queues', listOf(queueNames(facts.configured))],
    ['Topics', listOf(topicNames(facts.configured))],
    ...namespacesRow(facts),
    ['Defaults', defaultsOf(facts)],
    ['Connection', connection(facts)],
  ];
  return [
    `jitney ${version}   for development and tests, not for production use`,
    ...rows.map(([label, value]) => `${paint('quiet', label.padEnd(LABEL_WIDTH))}${value}`),
    paint('good', readyLine(facts)),
    '',
  ].join('\n');
}

/** The row about further namespaces; none without them. */
function namespacesRow({ settings, configured }: Pick<BannerFacts, 'settings' | 'configured'>): Row[] {
  const inFile = configured.namespaces.map(({ name }) => name);
  const { named, takesAny } = listNamespaces([...settings.namespaces, ...inFile]);
  if (named.length === 0 && !takesAny) return [];
  const names = ['default', ...new Set(named.map(({ name }) => name))].join(', ');
  const any = takesAny ? ', and each that a client names' : '';
  return [['Namespaces', `${names}${any}   (SharedAccessKeyName=<policy>@<namespace>)`]];
}

/** The line that says that the emulator is up. It has the official emulator's words, because Testcontainers modules wait for them. */
export function readyLine({ elapsedMs }: Pick<BannerFacts, 'elapsedMs'>): string {
  return `Emulator Service is Successfully Up! (${Math.round(elapsedMs)} ms)`;
}

/** The facts of the banner for programs. They hold no key, and so no connection string. */
export function startDetails(facts: BannerFacts) {
  const { version, emulator, settings } = facts;
  const { host, port, httpPort, tlsPort, httpsPort } = emulator;
  return {
    kind: 'started',
    version,
    serviceBus: `sb://${host}:${port}`,
    port,
    httpPort,
    tlsPort,
    httpsPort,
    health: healthUrl(emulator),
    dataDirectory: settings.dataDirectory,
    ...(isReached(facts) ? { reach: `${reachText(settings)}; ${limitText(settings)}` } : {}),
  } as const;
}

function protocols({ tls }: Settings): string {
  return tls === 'off' ? 'AMQP, HTTP, WebSocket' : 'AMQP, HTTP, WebSocket, TLS';
}

/** The additional TLS ports; the other ports speak TLS too. */
function tlsPorts({ host, tlsPort, httpsPort }: BannerFacts['emulator']): Row[] {
  const urls = [
    ...(tlsPort === undefined ? [] : [`amqps://${host}:${tlsPort}`]),
    ...(httpsPort === undefined ? [] : [`https://${host}:${httpsPort}`]),
  ];
  return urls.length === 0 ? [] : [['TLS', urls.join('   ')]];
}

/** The row about the certificate. The emulator's own stored certificate is left out: programs trust it once for all starts (`jitney certs`). */
function certificate({ tls, cert, certificateDirectory }: Settings): Row[] {
  if (tls === 'off') return [];
  if (cert !== undefined) return [['Certificate', `your own, ${cert}`]];
  if (certificateDirectory !== undefined) return [];
  return [['Certificate', 'lost when this stops   (--cert-directory <dir> keeps it)']];
}

/** The connection string. The user's own key is not written to a log, which others may read. The well-known key is not a secret. */
function connection({ emulator: { connectionString }, settings, isTerminal = false }: BannerFacts): string {
  const { primaryKey } = clientPolicy(settings.policies);
  if (isTerminal || primaryKey === clientPolicy().primaryKey) return connectionString;
  const without = connectionString.replace(`SharedAccessKey=${primaryKey};`, 'SharedAccessKey=<key>;');
  return `${without}   (jitney env with the same options prints the key)`;
}

function access({ auth }: Settings): Row[] {
  return auth === 'any' ? [] : [['Access', 'strict: keys and tokens are checked']];
}

function reach(host: string): string {
  return isLoopback(host) ? 'for this machine only' : `listening on ${host}`;
}

/** Says what other machines may do here, and how to limit it. */
function otherMachines(facts: BannerFacts): Row[] {
  if (!isReached(facts)) return [];
  return [['Reach', `${reachText(facts.settings)}   (${limitText(facts.settings)})`]];
}

function isReached({ settings, isInContainer = false }: BannerFacts): boolean {
  return !isInContainer && !isLoopback(settings.host);
}

function reachText({ auth, control, policies = [], tokenEndpoint }: Settings): string {
  const look = control ? ', and by /$jitney read everything' : '';
  if (auth === 'any') return `other machines may send, receive and administer with any key${look}`;
  const open = [
    ...(policies.length === 0 ? ['the well-known key'] : []),
    ...(tokenEndpoint === 'on' ? ['a token that everyone gets'] : []),
  ];
  if (open.length === 0) return 'other machines may do what their key allows';
  return `other machines may do everything with ${open.join(' or ')}`;
}

function limitText({ auth, control, policies = [], tokenEndpoint }: Settings): string {
  const limits =
    auth === 'any'
      ? ['--auth strict', ...(control ? ['--no-control'] : [])]
      : [
          ...(policies.length === 0 ? ['--policy'] : []),
          ...(tokenEndpoint === 'on' ? ['--no-token-endpoint'] : []),
        ];
  const limit =
    limits.length === 0 ? '' : `${limits.join(' and ')} limit${limits.length === 1 ? 's' : ''} it, `;
  return `${limit}--host 127.0.0.1 ends it`;
}

function pageRow({ emulator, settings }: BannerFacts): Row[] {
  // The page reads all that it shows over the control interface.
  return settings.ui === 'off' || !settings.control
    ? []
    : [['Page', `${pageUrl(emulator)}   every message, and why it is where it is`]];
}

function healthUrl(emulator: BannerFacts['emulator']): string {
  const { host, port, httpPort } = emulator;
  return `http://${host}:${httpPort ?? port}/health`;
}

export function pageUrl({ host, port }: Pick<BannerFacts['emulator'], 'host' | 'port'>): string {
  return `http://${host}:${port}/`;
}

/** The row about entities of earlier starts. Those with messages come first, because receivers get these messages first. */
function keptRow({ kept: { queues, topics } }: BannerFacts['emulator']): Row[] {
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

function clockRow({ clock, port }: BannerFacts['emulator']): Row[] {
  const { mode, rate, time } = clock.state;
  if (mode === 'real') return [];
  const how = {
    offset: 'ahead of this machine',
    frozen: 'time is stopped',
    scaled: `${rate} times as fast`,
  };
  return [
    [
      'Clock',
      `${time.toISOString()}, ${how[mode]}   (jitney clock${portOption(port)} moves it, --clock real ends it)`,
    ],
  ];
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

/** The defaults in use. Azure's and the official emulator's differ: 10 deliveries or 3, and messages that never expire or live for an hour. */
function defaultsOf({ settings, configured }: BannerFacts): string {
  const { named, fromFile, importedFrom } = configured;
  const fileCounts = countsOf(fromFile);
  const namedCounts = [
    ...given(named.queues, 'queue', settings.queuesFrom),
    ...given(named.topics, 'topic', settings.topicsFrom),
  ];
  const sets = [
    ...(importedFrom === undefined ? [] : [`none for what comes from ${importedFrom}`]),
    ...(fileCounts === '' ? [] : [`the official emulator's for ${fileCounts} of ${configName(settings)}`]),
    ...(namedCounts.length === 0 ? [] : [`Azure's for ${namedCounts.join(' and ')}`]),
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
