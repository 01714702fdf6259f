// The keys of a list.

import { type Keys, useKeys } from '../../state/keys.js';
import { go } from '../../state/route.js';
import type { Cursor } from './cursor.js';
import type { Row } from './message-row.js';
import type { MessageRows } from './message-rows.js';
import type { Place } from './read-messages.js';
import type { Selection } from './selection.js';
import type { Acts } from './use-acts.js';

type Owner = {
  readonly place: Place;
  readonly selection: Selection;
  readonly acts: Acts;
  readonly cursor: Cursor;
  readonly rows: MessageRows<Row> | undefined;
  readonly togglePeek: () => void;
  /** Undefined while no row is opened. */
  readonly closePeek: (() => void) | undefined;
};

export function useListKeys(owner: Owner): void {
  const { place, selection, acts, cursor } = owner;
  const down = () => cursor.moveTo(cursor.index() + 1);
  const up = () => cursor.moveTo(Math.max(0, cursor.index() - 1));
  const open = () => {
    const sequenceNumber = cursor.number();
    if (sequenceNumber !== undefined) go({ screen: 'message', ...place, sequenceNumber });
  };
  const keys: Keys = {
    j: down,
    ArrowDown: down,
    k: up,
    ArrowUp: up,
    o: open,
    Enter: (event) => pressOr(event, open),
    ' ': (event) => pressOr(event, owner.togglePeek),
    x: () => {
      const number = cursor.number();
      if (number !== undefined) selection.toggle(number);
    },
    X: () => selection.add(numbersTo(owner)),
    a: () => (selection.now().isAll ? selection.clear() : selection.selectAll()),
    '/': () => document.querySelector<HTMLInputElement>('[data-filter]')?.focus(),
    Escape: () => leave(owner),
  };
  useKeys({ ...keys, ...acts.keys });
}

/** These keys press the button or link that has the focus, as everywhere. */
function pressOr({ target }: KeyboardEvent, act: () => void): void {
  const focused = target instanceof Element ? target.closest<HTMLElement>('button, a, summary') : null;
  if (focused === null) act();
  else focused.click();
}

/** Leaves the innermost thing: an act that runs, an opened row, a selection, the list. */
function leave({ acts, closePeek, selection }: Owner): void {
  if (acts.running !== undefined) acts.stop();
  else if (closePeek !== undefined) closePeek();
  else if (selection.now().isAll || selection.now().numbers.size > 0) selection.clear();
  else go({ screen: 'overview' });
}

/** The numbers from the last selected row before the cursor, or else behind it, to the cursor. */
function numbersTo({ rows, cursor, selection }: Owner): readonly number[] {
  if (rows === undefined || rows.isEnded) return [];
  const at = cursor.index();
  const indexes = [...selection.now().numbers].map((number) => rows.indexOf(number));
  const before = Math.max(...indexes.filter((index) => index <= at), -1);
  const behind = Math.min(...indexes.filter((index) => index > at), Number.POSITIVE_INFINITY);
  const from = before >= 0 ? before : at;
  const to = before < 0 && Number.isFinite(behind) ? behind : at;
  return Array.from({ length: to - from + 1 }, (_, row) => rows.rowAt(from + row)?.sequenceNumber).filter(
    (number) => number !== undefined,
  );
}
