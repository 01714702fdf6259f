// The part of a message that the list keeps: enough for its row, so that many of them fit into memory.

import type { MessageAnswer } from '../../../http/control/control-schemas.js';
import { bodyPreview } from '../../state/body-text.js';

/** Bodies that begin alike are shown from where they differ, which may be far behind. */
const MOST_BODY = 500;
const MOST_TEXT = 200;
const TEXTS = [
  'messageId',
  'subject',
  'sessionId',
  'correlationId',
  'lastHolder',
  'destination',
  'deadLetteredTime',
] as const;
const KEPT = [
  'sequenceNumber',
  'state',
  'enqueuedTime',
  'scheduledTime',
  'deliveryCount',
  'sizeBytes',
] as const;

export type Row = Pick<MessageAnswer, (typeof TEXTS)[number] | (typeof KEPT)[number] | 'deadLetterSource'> & {
  readonly body: string;
  readonly reason: string | undefined;
  readonly description: string | undefined;
  readonly lock: { readonly linkId: number | undefined; readonly until: number | undefined } | undefined;
  /** When the answer was read, by this machine. */
  readonly readAt: number;
};

export function rowOf(message: MessageAnswer): Row {
  const { lock, deadLetterSource } = message;
  const kept = Object.fromEntries(KEPT.map((name) => [name, message[name]]));
  const texts = Object.fromEntries(TEXTS.map((name) => [name, message[name]?.slice(0, MOST_TEXT)]));
  return {
    ...(kept as Pick<MessageAnswer, (typeof KEPT)[number]>),
    ...(texts as Pick<MessageAnswer, (typeof TEXTS)[number]>),
    deadLetterSource,
    readAt: Date.now(),
    body: bodyPreview(message.body, MOST_BODY),
    reason: message.deadLetterReason?.slice(0, MOST_TEXT),
    description: message.deadLetterErrorDescription?.slice(0, MOST_TEXT),
    lock: lock && {
      linkId: lock.linkId,
      until: lock.lockedUntil === undefined ? undefined : Date.parse(lock.lockedUntil),
    },
  };
}
