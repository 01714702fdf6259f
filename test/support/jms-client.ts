// Connections of JMS clients as frames: the open of azure-servicebus-jms and of Qpid JMS, and the links that they open.

import type { Duplex } from 'node:stream';
import type { Frame, FrameChannel } from './frame-channel.js';
import { FrameClient } from './frame-client.js';
import {
  array,
  described,
  type Encoded,
  FALSE,
  list,
  map,
  smallUlong,
  str,
  sym,
  TRUE,
  ubyte,
  uint,
  wideLong,
} from './frame-encoder.js';
import { receiverFields, senderFields } from './frame-fields.js';
import { beginSession, openConnection } from './frame-links.js';
import { composite, type Fields, readList } from './frame-lists.js';

const DESIRED = ['sole-connection-for-container', 'DELAYED_DELIVERY', 'ANONYMOUS-RELAY', 'SHARED-SUBS'];
/** What Qpid JMS says of each delivery that it has not settled. */
const MODIFIED_FAILED = composite('modified', { deliveryFailed: TRUE });

export type JmsShape = {
  readonly clientId?: string;
  /** Default: true, as azure-servicebus-jms says; undefined leaves the property out, as Qpid JMS does. */
  readonly isProvider?: boolean | undefined;
  /** What it makes is deleted when it has been idle for so long. */
  readonly idleSeconds?: Readonly<Partial<Record<'queue' | 'topic' | 'subscriber', number>>>;
};

export function jmsOpen({ clientId, idleSeconds = {}, ...shape }: JmsShape = {}): Fields<'open'> {
  const isProvider = 'isProvider' in shape ? shape.isProvider : true;
  const properties: [Encoded, Encoded][] = [[sym('product'), str('QpidJMS')]];
  if (isProvider !== undefined) {
    properties.push([sym('com.microsoft:is-client-provider'), isProvider ? TRUE : FALSE]);
  }
  for (const [kind, seconds] of Object.entries(idleSeconds)) {
    properties.push([
      sym(`com.microsoft:${kind}-auto-delete-on-idle-duration-in-seconds`),
      wideLong(seconds),
    ]);
  }
  return {
    containerId: str(clientId ?? 'ID:0c5a0f6e-5d55-4d53-9d4e-9f5c0a8f6c11:1'),
    desiredCapabilities: symbols(DESIRED),
    properties: map(properties),
  };
}

/** The open of the server, on a connection of its own. */
export async function openedBy(pipe: Duplex, shape: JmsShape = {}): Promise<Frame> {
  const client = new FrameClient(pipe);
  client.writeHeader('amqp');
  client.send('open', jmsOpen(shape));
  await client.expectHeader('amqp');
  return client.expect('open');
}

export function openJms(pipe: Duplex, shape: JmsShape = {}): Promise<FrameClient> {
  return openConnection(new FrameClient(pipe), jmsOpen(shape));
}

export async function openJmsSession(pipe: Duplex, shape: JmsShape = {}): Promise<FrameChannel> {
  return beginSession(await openJms(pipe, shape));
}

export type SourceShape = {
  readonly address?: string;
  readonly capabilities?: readonly string[];
  readonly isDurable?: boolean;
  readonly isCopy?: boolean;
  readonly hasDefaultOutcome?: boolean;
  readonly filter?: Encoded;
};

export function jmsSource(shape: SourceShape): Encoded {
  const {
    address,
    capabilities = [],
    isDurable = false,
    isCopy = isDurable,
    hasDefaultOutcome = true,
    filter,
  } = shape;
  return composite('source', {
    ...(address === undefined ? {} : { address: str(address) }),
    durable: uint(isDurable ? 2 : 0),
    expiryPolicy: sym(isDurable ? 'never' : 'link-detach'),
    ...(isCopy ? { distributionMode: sym('copy') } : {}),
    ...(filter === undefined ? {} : { filter }),
    ...(hasDefaultOutcome ? { defaultOutcome: MODIFIED_FAILED } : {}),
    ...(capabilities.length > 0 ? { capabilities: symbols(capabilities) } : {}),
  });
}

export type ConsumerShape = SourceShape & { readonly name?: string };

/** Attaches a receiver; the answer has a source, or the refusal follows. */
export function attachConsumer(session: FrameChannel, handle: number, shape: ConsumerShape): Promise<Frame> {
  const { name = `qpid-jms:receiver:${handle}`, ...source } = shape;
  session.send(
    'attach',
    receiverFields(handle, {
      name: str(name),
      sndSettleMode: ubyte(0),
      rcvSettleMode: ubyte(0),
      source: jmsSource(source),
    }),
  );
  return session.take('attach');
}

/** Without an address it is an anonymous one. */
export function attachProducer(
  session: FrameChannel,
  handle: number,
  {
    address,
    capabilities = [],
  }: { readonly address?: string; readonly capabilities?: readonly string[] } = {},
): Promise<Frame> {
  const target = composite('target', {
    ...(address === undefined ? {} : { address: str(address) }),
    ...(capabilities.length > 0 ? { capabilities: symbols(capabilities) } : {}),
  });
  session.send('attach', senderFields(handle, { name: str(`qpid-jms:sender:${handle}`), target }));
  return session.take('attach');
}

function symbols(names: readonly string[]): Encoded {
  return array(names.map(sym) as [Encoded, ...Encoded[]]);
}

export const DELETE_ON_CLOSE = described(smallUlong(0x2b), list([]));

/** The link with which a temporary node comes and goes. */
export function attachCreator(
  session: FrameChannel,
  handle: number,
  type: 'temporary-queue' | 'temporary-topic',
  lifetime: Encoded = DELETE_ON_CLOSE,
): Promise<Frame> {
  const target = composite('target', {
    durable: uint(0),
    expiryPolicy: sym('link-detach'),
    dynamic: TRUE,
    dynamicNodeProperties: map([[sym('lifetime-policy'), lifetime]]),
    capabilities: array([sym(type)]),
  });
  session.send('attach', senderFields(handle, { name: str(`qpid-jms:temp-creator:${handle}`), target }));
  return session.take('attach');
}

/** The address in the source or target of an answer; undefined if the answer lacks it. */
export function addressIn(attach: Frame, terminus: 'source' | 'target'): string | undefined {
  const field = attach.field(terminus);
  if (field === undefined || field.type === 'null') return undefined;
  return String(readList(field).field('address')?.value);
}
