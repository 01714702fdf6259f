// The part of a message that the list keeps: enough for its row, so that many of them fit into memory.

import type { MessageAnswer } from '../../../http/control/control-schemas.js';
import { bodyPreview } from '../../state/body-text.js';

const MOST_BODY = 200;
const MOST_TEXT = 200;

export type Row = Pick<
  MessageAnswer,
  | 'sequenceNumber'
  | 'state'
  | 'enqueuedTime'
  | 'scheduledTime'
  | 'deliveryCount'
  | 'sizeBytes'
  | 'destination'
> & {
  readonly messageId: string | undefined;
  readonly subject: string | undefined;
  readonly sessionId: string | undefined;
  readonly body: string;
  readonly reason: string | undefined;
  readonly lastHolder: string | undefined;
  readonly lock: { readonly linkId: number | undefined; readonly until: number | undefined } | undefined;
};

export function rowOf(message: MessageAnswer): Row {
  const { sequenceNumber, state, enqueuedTime, scheduledTime, deliveryCount, sizeBytes, destination } =
    message;
  const { messageId, subject, sessionId } = message;
  const { lock, lastHolder } = message;
  return {
    sequenceNumber,
    state,
    enqueuedTime,
    deliveryCount,
    sizeBytes,
    ...(scheduledTime === undefined ? {} : { scheduledTime }),
    ...(destination === undefined ? {} : { destination }),
    messageId: messageId?.slice(0, MOST_TEXT),
    subject: subject?.slice(0, MOST_TEXT),
    sessionId: sessionId?.slice(0, MOST_TEXT),
    body: bodyPreview(message.body, MOST_BODY),
    reason: message.deadLetterReason?.slice(0, MOST_TEXT),
    lastHolder: lastHolder?.slice(0, MOST_TEXT),
    lock:
      lock === undefined
        ? undefined
        : {
            linkId: lock.linkId,
            until: lock.lockedUntil === undefined ? undefined : Date.parse(lock.lockedUntil),
          },
  };
}
