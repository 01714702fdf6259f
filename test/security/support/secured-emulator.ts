// An emulator in memory that looks at keys and tokens, on AMQP and on HTTP, by a clock that the test moves.

import type { Duplex } from 'node:stream';
import type { Connection } from 'rhea';
import { AmqpServer } from '../../../src/amqp/amqp-server.js';
import { Broker } from '../../../src/broker/broker.js';
import type { Command } from '../../../src/broker/contract/command.js';
import { describeAuthorizationRule } from '../../../src/broker/contract/entities/authorization-rule.js';
import { describeQueue } from '../../../src/broker/contract/entities/queue-description.js';
import {
  describeSubscription,
  describeTopic,
} from '../../../src/broker/contract/entities/topic-description.js';
import { sharedSuggestions } from '../../../src/config/entity-names.js';
import { brokerOptions } from '../../../src/config/part-options.js';
import { contentReader } from '../../../src/content/message-reader.js';
import { Engine } from '../../../src/engine/engine.js';
import { SystemGuids } from '../../../src/engine/system-guids.js';
import { createApp, type Handle } from '../../../src/http/app.js';
import { MemoryJournal } from '../../../src/journal/memory-journal.js';
import { type AccessPolicy, entityPolicyReader } from '../../../src/security/access-policy.js';
import { type AuthorizationMode, Authorizer } from '../../../src/security/authorizer.js';
import { EntraTokens } from '../../../src/security/entra-token.js';
import { writeSasToken } from '../../../src/security/sas-token.js';
import { ActivityStream } from '../../../src/watch/activity-stream.js';
import { memoryPipe } from '../../support/memory-pipe.js';
import { rheaConnect } from '../../support/rhea-client.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { VirtualTimers } from '../../support/virtual-timers.js';

export const START_MS = Date.UTC(2026, 0, 1);
export const HOUR_MS = 3_600_000;
export const HOST = 'jitney.example';

/** One for each right, at each level; the key of each is `key of <its name>`. */
const RIGHTS = { manage: ['Manage', 'Send', 'Listen'], send: ['Send'], listen: ['Listen'] } as const;
export type Level = 'namespace' | 'orders' | 'news';
export type PolicyRight = keyof typeof RIGHTS;

export function policiesOf(level: Level): readonly AccessPolicy[] {
  return Object.entries(RIGHTS).map(([right, rights]) => {
    const keyName = `${right}-${level}`;
    return { keyName, rights, primaryKey: keyOf(keyName), secondaryKey: `other ${keyOf(keyName)}` };
  });
}

export function keyOf(keyName: string): string {
  return `key of ${keyName}`;
}

export type SecuredEmulator = {
  readonly engine: Engine;
  /** Off until something listens; only HTTP tells it. */
  readonly activity: ActivityStream;
  /** The broker's own; `advance` moves that of tokens. */
  readonly clock: VirtualClock;
  readonly entraTokens: EntraTokens;
  readonly authorizer: Authorizer;
  readonly hints: readonly string[];
  readonly faults: readonly unknown[];
  readonly timers: VirtualTimers;
  readonly nowMs: number;
  readonly connections: AmqpServer['connections'];
  /** The client's end of a new connection. */
  pipe(): Duplex;
  connect(options?: Record<string, unknown>): Connection;
  readonly handle: Handle;
  advance(durationMs: number): void;
  stop(): Promise<void>;
};

/** With the queues `orders` and `other`, and the topic `news` with its subscription `all`. */
export async function openSecuredEmulator(mode: AuthorizationMode = 'strict'): Promise<SecuredEmulator> {
  const guids = new SystemGuids();
  const nextGuid = () => guids.next();
  const { limits, behaviour } = brokerOptions({});
  const broker = new Broker({ limits, behaviour, nextGuid, messageReader: contentReader });
  const clock = new VirtualClock(START_MS);
  const engine = new Engine(broker, new MemoryJournal(), clock);
  await engine.start();
  for (const command of entities()) await engine.ask(command);
  const hints: string[] = [];
  const faults: unknown[] = [];
  const timers = new VirtualTimers();
  let nowMs = START_MS;
  const now = () => nowMs;
  const entraTokens = new EntraTokens();
  const authorizer = new Authorizer({
    mode,
    policies: policiesOf('namespace'),
    entityPolicies: entityPolicyReader((command) => engine.ask(command)),
    entraTokens,
    onHint: (hint) => hints.push(hint),
  });
  const onFault = (fault: unknown) => faults.push(fault);
  const similarTo = sharedSuggestions((command) => engine.ask(command));
  const shared = { nextGuid, onFault, authorizer, now, startTimer: timers.startTimer };
  const server = new AmqpServer(engine, {
    ...shared,
    similarTo,
    product: 'Jitney',
    version: '0.0.0',
    nudges: false,
    onHint: (hint) => hints.push(hint),
  });
  const pipe = () => {
    const [client, ours] = memoryPipe();
    server.serve(ours);
    return client;
  };
  const activity = new ActivityStream(engine, now);
  const app = {
    engine,
    activity,
    entraTokens,
    tier: 'standard',
    startedTime: new Date(START_MS),
    limits,
  } as const;
  return {
    engine,
    activity,
    clock,
    entraTokens,
    authorizer,
    hints,
    faults,
    timers,
    handle: createApp({ ...shared, ...app }),
    get nowMs() {
      return nowMs;
    },
    connections: server.connections,
    pipe,
    connect: (options = {}) => rheaConnect(pipe(), { hostname: HOST, ...options }),
    advance(durationMs) {
      nowMs += durationMs;
      timers.advance(durationMs);
    },
    async stop() {
      server.close(undefined);
      await engine.stop();
    },
  };
}

function entities(): readonly Command[] {
  const rulesOf = (level: Level) =>
    policiesOf(level).map(({ keyName, ...rule }) => describeAuthorizationRule(keyName, rule));
  return [
    {
      kind: 'put-entity',
      type: 'queue',
      description: { ...describeQueue('orders'), authorizationRules: rulesOf('orders') },
    },
    { kind: 'put-entity', type: 'queue', description: describeQueue('orders/archive') },
    { kind: 'put-entity', type: 'queue', description: describeQueue('other') },
    {
      kind: 'put-entity',
      type: 'topic',
      description: { ...describeTopic('news'), authorizationRules: rulesOf('news') },
    },
    { kind: 'put-entity', type: 'subscription', topicName: 'news', description: describeSubscription('all') },
  ];
}

export type SasParts = {
  readonly audience?: string;
  readonly keyName?: string;
  readonly key?: string;
  readonly expiresAtMs?: number;
};

/** A good one for the namespace unless told otherwise. */
export function sasToken(parts: SasParts = {}): string {
  const { keyName = 'manage-namespace' } = parts;
  return writeSasToken({
    audience: `sb://${HOST}/`,
    key: keyOf(keyName),
    expiresAtMs: START_MS + HOUR_MS,
    ...parts,
    keyName,
  });
}
