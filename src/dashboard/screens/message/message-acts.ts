// The acts on one message, each with what is said afterwards.

import type { RawMessageAnswer } from '../../../http/control/control-schemas.js';
import { post } from '../../state/api.js';
import { numberText, spokenPath } from '../../state/format.js';
import { entityAt } from '../../state/model.js';
import { question } from '../../state/question.js';
import { route, storePathOf } from '../../state/route.js';
import { attempt, say } from '../../state/said.js';
import { whyNoUndo } from '../entity/outcome.js';
import type { Place } from '../entity/read-messages.js';
import { isMessageTab } from '../entity/tabs.js';
import { deleteKept } from '../entity/undo-delete.js';

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

/** One deletion is done at once: it has no progress, and nothing stops it. */
const ALONE = { signal: new AbortController().signal, progress: () => {}, undone: async () => {} };
/** The acts that are under way: a second press of a key must not be refused with words that hide how the first went. */
const underWay = new Set<string>();

/** `store` is the path of the message's queue or dead-letter queue. `gone` is called when it is no longer there under its number, if the page still shows it. */
export function messageActs(store: string, sequenceNumber: number, gone: () => void): MessageActs {
  const name = `#${numberText(sequenceNumber)} of ${spokenPath(store)}`;
  const run = async (act: () => Promise<void>) => {
    if (underWay.has(name)) return;
    underWay.add(name);
    await attempt(act);
    underWay.delete(name);
  };
  const leave = () => {
    if (shownPlace(store, sequenceNumber) !== undefined) gone();
  };
  const act =
    (call: string, more: object, done: string, isGone = true) =>
    () =>
      run(async () => {
        await manageOne(call, store, { sequenceNumbers: [sequenceNumber], ...more });
        say(`${name} ${done}.`);
        if (isGone) leave();
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
    remove: () => {
      const place = shownPlace(store, sequenceNumber);
      if (place === undefined) return;
      const why = whyNoUndo(place, 1, entityAt(place.path));
      if (why === undefined) {
        run(async () => {
          if ((await deleteKept(place, [sequenceNumber], ALONE)) > 0) leave();
        });
        return;
      }
      question.value = {
        title: 'Delete 1 message?',
        act: 'Delete',
        text: `${name} will be gone. This cannot be undone: ${why}`,
        onConfirm: act('messages:delete', {}, 'is deleted'),
      };
    },
  };
}

async function manageOne(call: string, store: string, body: object): Promise<void> {
  const answer = await post<Managed>(call, { entity: store }, body);
  if (answer.count > 0) return;
  const [skipped] = answer.skipped;
  throw new Error(skipped?.message ?? 'Nothing was done: the message is no longer there.');
}

/** The place of the message while the page shows it. */
function shownPlace(store: string, sequenceNumber: number): Place | undefined {
  const here = route.peek();
  if (here.screen !== 'message' || here.sequenceNumber !== sequenceNumber) return undefined;
  const { path, tab } = here;
  if (!isMessageTab(tab)) return undefined;
  return storePathOf(path, tab) === store ? { path, tab } : undefined;
}
