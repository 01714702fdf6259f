// Whether the source of a receiver asks for messages or only to see them (AMQP 3.5.3).

import { decodeTerminus, type Terminus } from '../codec/terminus.js';

/** To see them. Not from a durable source: JMS says `copy` of each durable subscription, and means to consume from it. */
export function isCopy({ distributionMode, durable, expiryPolicy }: Terminus): boolean {
  return distributionMode === 'copy' && durable === 0 && expiryPolicy !== 'never';
}

/** Said outright, so that the answer may say it, too. */
export function isMove(source: Uint8Array): boolean {
  return decodeTerminus(source)?.distributionMode === 'move';
}
