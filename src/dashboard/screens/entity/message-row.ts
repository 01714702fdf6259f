// The part of a message that the list keeps: enough for its row, so that many of them fit into memory.

import type { MessageAnswer } from '../../../http/control/control-schemas.js';
import { bodyPreview } from '../../state/body-text.js';
import { clientName } from '../../state/format.js';

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
    lastHolder: lastHolder === undefined ? undefined : holderName(lastHolder),
    lock:
      lock === undefined
        ? undefined
        : {
            linkId: lock.linkId,
            until: lock.lockedUntil === undefined ? undefined : Date.parse(lock.lockedUntil),
          },
  };
}

/** The interface names a client by its SDK and, in brackets, the name of its connection. */
export function holderName(holder: string): string {
  const [, product, name] = /^(.*) \(([^()]*)\)$/s.exec(holder) ?? [];
  if (product === undefined || name === undefined) return holder.slice(0, MOST_TEXT);
  return clientName({ name, product });
}
