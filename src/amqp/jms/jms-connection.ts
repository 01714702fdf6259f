// Which connections are JMS 2.0 connections, and what the open of one says: its client id, and how long what it makes may be idle.

import { NEVER } from '../../broker/contract/instant.js';
import type { Open } from '../../codec/performatives.js';
import { booleanOf, entryOf, integerOf } from '../../codec/read-value.js';

/** `azure`: the connections of azure-servicebus-jms; `all`: those of Qpid JMS as well (JMS-03). */
export type JmsChoice = 'azure' | 'all';

export type JmsConnection = {
  /** The container-id; empty if the client library has made it up (JMS-08). */
  readonly clientId: string;
  /** `autoDeleteOnIdle` of what the connection creates, in milliseconds (JMS-13). */
  readonly idleMs: Readonly<Record<'queue' | 'topic' | 'subscription', number>>;
};

/** Says of a connection of azure-servicebus-jms that the namespace is to be used as one of the Premium tier. */
const IS_CLIENT_PROVIDER = 'com.microsoft:is-client-provider';
const SHARED_SUBSCRIPTIONS = 'SHARED-SUBS';
/** JMS-06: not `sole-connection-for-container`, because a client id may have several connections. */
const OFFERED: readonly string[] = ['DELAYED_DELIVERY', 'ANONYMOUS-RELAY', SHARED_SUBSCRIPTIONS];
/** Qpid JMS gives a connection without a client id one of this form. */
const MADE_UP = /^ID:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:\d+$/i;
const LEAST_IDLE_MS = 300_000;

/** Whether the client asks for the mode itself, and not only because of `--jms all` (JMS-01). */
export function isClientProvider({ properties }: Open): boolean {
  return booleanOf(entryOf(properties, IS_CLIENT_PROVIDER)) === true;
}

/** Undefined for a connection that is no JMS 2.0 connection. */
export function readJmsConnection(open: Open, choice: JmsChoice): JmsConnection | undefined {
  const isQpid = open.desiredCapabilities?.includes(SHARED_SUBSCRIPTIONS) === true;
  if (!isClientProvider(open) && !(choice === 'all' && isQpid)) return undefined;
  return {
    clientId: MADE_UP.test(open.containerId) ? '' : open.containerId,
    idleMs: {
      queue: idleMsOf(open, 'queue'),
      topic: idleMsOf(open, 'topic'),
      subscription: idleMsOf(open, 'subscriber'),
    },
  };
}

/** JMS-05: what is desired of it. Qpid JMS asks each link for what its connection was not offered. */
export function offered({ desiredCapabilities = [] }: Pick<Open, 'desiredCapabilities'>): readonly string[] {
  return OFFERED.filter((each) => desiredCapabilities.includes(each));
}

function idleMsOf({ properties }: Open, kind: 'queue' | 'topic' | 'subscriber'): number {
  const seconds = integerOf(
    entryOf(properties, `com.microsoft:${kind}-auto-delete-on-idle-duration-in-seconds`),
  );
  return seconds === undefined || seconds <= 0 ? NEVER : Math.max(LEAST_IDLE_MS, seconds * 1000);
}
