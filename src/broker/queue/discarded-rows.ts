// The messages, message-ids and session states of stores that were emptied. Their rows are removed later, in small pieces with a
// pause after each, so that emptying a store costs the same at any size and other turns hardly wait. The broker needs 0.15 µs for a
// message; the journal needs 1 to 6 µs for its row and the row of its content: 100,000 at once would be a turn of 220 ms.

import type { MessageIdRecord, SessionStateRecord } from '../contract/event.js';
import { type Instant, NEVER } from '../contract/instant.js';
import type { MessageStore, StoreContents } from '../store/queue.js';
import type { StoredMessage } from '../store/stored-message.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';

/** The most messages, states or message-ids that one turn removes. The journal deletes their rows in 0.1 to 0.6 ms. */
const MAX_PIECE = 100;
/** The time from one piece to the next. Without it the journal would write little else, and on a slow disk ever larger batches. */
const PAUSE_MS = 2;

type Row =
  | { readonly kind: 'message'; readonly message: StoredMessage }
  | { readonly kind: 'state'; readonly state: SessionStateRecord }
  | { readonly kind: 'message-id'; readonly noted: MessageIdRecord };

type Discarded = Pick<StoreContents, 'rowsId' | 'copies'> & { readonly rest: Iterator<Row> };

/** The rows of a store that was emptied before a restart. */
class RestoredContents implements StoreContents {
  readonly rowsId: number;
  readonly copies = undefined;
  readonly noted: MessageIdRecord[] = [];
  readonly storedMessages: StoredMessage[] = [];
  readonly storedStates: SessionStateRecord[] = [];
  readonly messageIds = { all: () => this.noted };

  constructor(rowsId: number) {
    this.rowsId = rowsId;
  }

  messages = (): Iterable<StoredMessage> => this.storedMessages;
  states = (): Iterable<SessionStateRecord> => this.storedStates;
}

export class DiscardedRows {
  /** Oldest first. */
  readonly #discarded: Discarded[] = [];
  readonly #restored = new Map<number, RestoredContents>();
  /** When the next piece is due; `NEVER` when nothing is left. */
  dueAt: Instant = NEVER;

  /** Empties a store that is not empty and whose locks are forgotten. Returns the number of its messages. */
  empty(store: MessageStore, rowsId: number, turn: TurnInProgress): number {
    const { count } = store.log;
    turn.events.push({ kind: 'rows-discarded', rowsId: store.rowsId });
    this.#add(store.empty(rowsId));
    if (this.dueAt === NEVER) this.dueAt = turn.now + 1; // rows discarded earlier keep their time, and the pause its length
    turn.touch(store); // receivers that wait for a session, and due work that is no longer due
    return count;
  }

  /** Removes the next rows, if it is time. */
  removePiece(turn: TurnInProgress): void {
    if (this.dueAt > turn.now) return;
    for (let count = 0; count < MAX_PIECE; count++) {
      const [first] = this.#discarded;
      if (first === undefined) break;
      const { value: row, done } = first.rest.next();
      if (done !== true) remove(row, first, turn);
      else {
        turn.events.push({ kind: 'rows-removed', rowsId: first.rowsId });
        this.#discarded.shift();
      }
    }
    this.dueAt = this.#discarded.length === 0 ? NEVER : turn.now + PAUSE_MS;
  }

  /** Restores that the rows under this id were being removed. Called before those rows are. */
  restore(rowsId: number): void {
    const contents = new RestoredContents(rowsId);
    this.#restored.set(rowsId, contents);
    this.#add(contents);
    this.dueAt = 0;
  }

  /** The restored rows under this id; undefined if they were not discarded. */
  restored(rowsId: number): RestoredContents | undefined {
    return this.#restored.get(rowsId);
  }

  /** Called with the first turn after a restart, when all rows are restored. */
  allRestored(): void {
    this.#restored.clear();
  }

  #add(contents: StoreContents): void {
    const { rowsId, copies } = contents;
    this.#discarded.push({ rowsId, copies, rest: rowsOf(contents) });
  }
}

function* rowsOf({ messages, states, messageIds }: StoreContents): Generator<Row> {
  for (const message of messages()) yield { kind: 'message', message };
  for (const state of states()) yield { kind: 'state', state };
  for (const noted of messageIds.all()) yield { kind: 'message-id', noted };
}

function remove(row: Row, { rowsId: storeId, copies }: Discarded, turn: TurnInProgress): void {
  switch (row.kind) {
    case 'message': {
      const { sequenceNumber } = row.message;
      turn.events.push({ kind: 'message-removed', storeId, sequenceNumber });
      turn.contentUnreferenced(row.message);
      if (row.message.isShared) copies?.removed(row.message);
      return;
    }
    case 'state': {
      const { sessionId, contentId } = row.state;
      turn.events.push({ kind: 'session-state-removed', storeId, sessionId });
      turn.events.push({ kind: 'content-released', contentId });
      return;
    }
    case 'message-id':
      turn.events.push({
        kind: 'message-id-forgotten',
        storeId,
        sequenceNumber: row.noted.sequenceNumber,
      });
  }
}
