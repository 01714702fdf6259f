// The acts on one message, each with what is said afterwards.

import type { RawMessageAnswer } from '../../../http/control/control-schemas.js';
import { post } from '../../state/api.js';
import { numberText, spokenPath } from '../../state/format.js';
import { attempt, say } from '../../state/said.js';

export type ShownMessage = RawMessageAnswer;

export type MessageActs = {
  readonly resubmit: () => void;
  readonly endLock: () => void;
  readonly activate: () => void;
  readonly deadLetter: () => void;
  readonly remove: () => void;
};

type Managed = {
  readonly count: number;
  readonly skipped: readonly { readonly message: string }[];
};

/** `store` is the path of the message's queue or dead-letter queue. `gone` is called when it is no longer there under its number. */
export function messageActs(store: string, sequenceNumber: number, gone: () => void): MessageActs {
  const act =
    (call: string, more: object, done: string, isGone = true) =>
    () =>
      attempt(async () => {
        const answer = await post<Managed>(
          call,
          { entity: store },
          { sequenceNumbers: [sequenceNumber], ...more },
        );
        const [skipped] = answer.skipped;
        if (answer.count === 0)
          throw new Error(skipped?.message ?? 'Nothing was done: the message is no longer there.');
        say(`#${numberText(sequenceNumber)} of ${spokenPath(store)} ${done}.`);
        if (isGone) gone();
      });
  return {
    resubmit: act('messages:resubmit', {}, 'is resubmitted'),
    endLock: act('locks:end', {}, 'is free again', false),
    activate: act('messages:activate', {}, 'is active now'),
    deadLetter: act(
      'messages:dead-letter',
      { reason: 'ByHand', description: 'Dead-lettered in the page.' },
      'is dead-lettered',
    ),
    remove: act('messages:delete', {}, 'is deleted'),
  };
}
