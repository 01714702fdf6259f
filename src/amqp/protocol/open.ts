// The open frames of a connection: the checks of the client's, and ours.

import type { AmqpPerformative, Attach, Open } from '../../codec/performatives.js';
import { MAX_CONTAINER_ID_LENGTH, tooLong } from '../../codec/text-limits.js';
import { amqp } from '../../codec/types.js';
import { ProtocolError } from './protocol-error.js';

/** The capabilities that a connection or a link is offered. Only what the peer desires is of use to it. */
export type Capabilities = {
  ofConnection(open: Open): readonly string[];
  ofLink(attach: Attach): readonly string[];
};

export type OwnOpen = {
  readonly containerId: string;
  readonly product: string;
  readonly version: string;
  /** Default: none is offered. */
  readonly capabilities?: Capabilities;
};

/** Announced to the peer (MSG-13); larger messages span several frames. */
export const MAX_FRAME_SIZE = 65_536;
export const IDLE_TIME_OUT_MS = 120_000;
const CHANNEL_MAX = 0xffff;

export function answerTo(
  open: Open,
  { containerId, product, version, capabilities }: OwnOpen,
): AmqpPerformative {
  const offered = capabilities?.ofConnection(open) ?? [];
  return {
    kind: 'open',
    containerId,
    maxFrameSize: MAX_FRAME_SIZE,
    channelMax: CHANNEL_MAX,
    idleTimeOut: IDLE_TIME_OUT_MS,
    offeredCapabilities: offered.length === 0 ? undefined : offered,
    // JMS-07: neither prefixes of addresses nor other servers
    properties: amqp.map([
      [amqp.symbol('product'), amqp.string(product)],
      [amqp.symbol('version'), amqp.string(version)],
    ]),
  };
}

/** Throws ProtocolError. */
export function checkOpen({ containerId, hostname = '' }: Open): void {
  const problem =
    tooLong('The container-id', containerId, MAX_CONTAINER_ID_LENGTH) ??
    tooLong('The hostname', hostname, MAX_CONTAINER_ID_LENGTH);
  if (problem !== undefined) throw new ProtocolError('connection', 'amqp:invalid-field', problem);
}
