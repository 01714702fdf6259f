// The columns of the list, tab by tab, and which of them are shown.

import type { ComponentChildren } from 'preact';
import { Given } from '../../parts/panel.js';
import { deliveriesText } from '../../state/deliveries.js';
import { dateTimeText, durationText, numberText, shownText, spokenPath } from '../../state/format.js';
import type { SortBy } from './list-settings.js';
import type { Row } from './message-row.js';
import type { Sort } from './message-rows.js';
import { isDeadTab, type MessageTab } from './tabs.js';

/** Facts of the list beside its rows. */
export type Known = {
  readonly maxDeliveryCount: number | undefined;
  /** The present for the lock and the schedule of a row that was read then (`Store.dueNow`). */
  readonly dueNow: (readAt: number) => number;
  /** The receiver of a link. */
  readonly holderOf: (linkId: number | undefined) => string | undefined;
  /** The part of the body that is shown. */
  readonly bodyOf: (row: Row) => string;
};

export type Column = {
  readonly name: string;
  /** Pixels; a column with `grows` has at least these, and a share of what is left. */
  readonly width: number;
  readonly grows?: true | undefined;
  readonly isRight?: true;
  readonly style?: string;
  /** Whether it leads to the message. */
  readonly isLink?: true;
  /** It is shown from this width of the window on, unless it was chosen. */
  readonly from?: number;
  /** The whole text of the cell, which is cut to its room and shown whole as its tooltip. */
  readonly text?: (row: Row, known?: Known) => string | undefined;
  /** The content of the cell, if it is not the text. */
  readonly cell?: (row: Row, known: Known) => ComponentChildren;
  /** The value by which rows are sorted, if it is not the text. */
  readonly by?: (row: Row) => string | number | undefined;
};

/** A lock with less left stands out. */
const LOW_MS = 5000;
const WIDE = 1400;
const WIDER = 1600;
const MOST_TITLE = 600;
const NONE = <span class="t3">–</span>;

const MESSAGE_ID: Column = {
  name: 'Message id',
  ...{ width: 104, style: 'm', isLink: true },
  text: ({ messageId }) => messageId,
};
const SUBJECT: Column = { name: 'Subject', width: 112, from: WIDE, text: ({ subject }) => subject };
const CORRELATION: Column = {
  name: 'Correlation id',
  ...{ width: 112, style: 'm', from: Number.POSITIVE_INFINITY },
  text: ({ correlationId }) => correlationId,
};
const BODY: Column = {
  name: 'Body',
  ...{ width: 120, grows: true, style: 'm t3' },
  text: (row, known) => known?.bodyOf(row) ?? row.body,
};
const SESSION: Column = { name: 'Session', width: 96, style: 'm', text: ({ sessionId }) => sessionId };
const BYTES: Column = {
  name: 'Bytes',
  ...{ width: 72, isRight: true, style: 't2', from: WIDER },
  cell: ({ sizeBytes }) => numberText(sizeBytes),
  by: ({ sizeBytes }) => sizeBytes,
};
const ENQUEUED: Column = {
  name: 'Enqueued',
  ...{ width: 112, isRight: true, style: 'm t2' },
  cell: ({ enqueuedTime }) => dateTimeText(enqueuedTime),
  by: ({ enqueuedTime }) => enqueuedTime,
};
const DELIVERIES: Column = {
  name: 'Deliveries',
  ...{ width: 80, isRight: true },
  cell: (row, { maxDeliveryCount }) => deliveriesText(row, maxDeliveryCount),
  by: ({ deliveryCount }) => deliveryCount,
};
const REASON: Column = {
  name: 'Reason',
  ...{ width: 160, grows: true },
  text: ({ reason = '', description = '' }) => `${reason} ${description}`.trim(),
  cell: ({ reason = '', description = '' }) => (
    <>
      {reason === '' ? NONE : <Given text={reason} most={200} />}{' '}
      <span class="t3">
        <Given text={description} most={200} />
      </span>
    </>
  ),
};
const DEAD_SINCE: Column = {
  name: 'Dead since',
  ...{ width: 112, isRight: true, style: 'm t2' },
  cell: ({ deadLetteredTime }) => (deadLetteredTime === undefined ? NONE : dateTimeText(deadLetteredTime)),
  by: ({ deadLetteredTime }) => deadLetteredTime,
};

const OF_TABS: Readonly<Record<MessageTab, readonly Column[]>> = {
  active: [DELIVERIES, ENQUEUED, BYTES],
  locked: [
    {
      name: 'Holder',
      width: 136,
      text: ({ lock }, known) => known?.holderOf(lock?.linkId),
      by: ({ lock }) => lock?.linkId,
    },
    { name: 'Time left', width: 88, isRight: true, cell: timeLeft, by: ({ lock }) => lock?.until },
    { ...DELIVERIES, name: 'Delivery' },
    BYTES,
  ],
  scheduled: [
    {
      name: 'For',
      ...{ width: 136, isRight: true, style: 'm' },
      cell: ({ scheduledTime }) => (scheduledTime === undefined ? NONE : dateTimeText(scheduledTime)),
      by: ({ scheduledTime }) => scheduledTime,
    },
    {
      name: 'In',
      ...{ width: 96, isRight: true, style: 't2' },
      cell: scheduledIn,
      by: ({ scheduledTime }) => scheduledTime,
    },
    BYTES,
  ],
  deferred: [DELIVERIES, ENQUEUED, BYTES],
  dead: [
    { ...DELIVERIES, width: 96 },
    { name: 'Last holder', width: 208, from: 1200, text: ({ lastHolder }) => lastHolder },
    DEAD_SINCE,
    BYTES,
  ],
  'transfer-dead': [
    {
      name: 'Was for',
      width: 136,
      text: ({ destination }) => (destination === undefined ? undefined : spokenPath(destination)),
    },
    DEAD_SINCE,
    BYTES,
  ],
};

/** All columns behind the number that the list of a tab can have. */
export function columnsOf(tab: MessageTab, requiresSession: boolean): readonly Column[] {
  const isDead = isDeadTab(tab);
  const session = requiresSession ? [SESSION] : [];
  // A dead letter is known by its reason, which has the room that is left.
  const content = isDead ? [REASON, { ...BODY, grows: undefined }] : [BODY];
  return [MESSAGE_ID, ...content, SUBJECT, CORRELATION, ...session, ...OF_TABS[tab]];
}

/** The columns that are shown: those that were chosen, or else as many as the window has room for. */
export function shownColumns(
  columns: readonly Column[],
  chosen: readonly string[] | undefined,
  windowWidth: number,
): readonly Column[] {
  return columns.filter(({ name, from = 0 }) => chosen?.includes(name) ?? windowWidth >= from);
}

/** The order of these rows by a column that is shown; undefined for another one. */
export function sortOf(columns: readonly Column[], sort: SortBy | undefined): Sort<Row> | undefined {
  const column = columns.find(({ name }) => name === sort?.name);
  if (column === undefined || sort === undefined) return undefined;
  return { ...sort, by: (row) => column.by?.(row) ?? column.text?.(row) };
}

/** The content of a cell, and the tooltip with the whole text. */
export function cellOf(
  { text, cell }: Column,
  row: Row,
  known: Known,
): { readonly content: ComponentChildren; readonly title: string | undefined } {
  const given = text?.(row, known) ?? '';
  const content = cell?.(row, known) ?? (given === '' ? NONE : <Given text={given} most={200} />);
  return { content, title: given === '' ? undefined : shownText(given, MOST_TITLE) };
}

function timeLeft({ lock, readAt }: Row, { dueNow }: Known): ComponentChildren {
  if (lock === undefined) return NONE;
  if (lock.until === undefined) return <span class="t2">no end</span>;
  const leftMs = lock.until - dueNow(readAt);
  if (leftMs <= 0) return <span class="amb">over</span>;
  return <span class={leftMs < LOW_MS ? 'amb b' : ''}>{durationText(leftMs)}</span>;
}

function scheduledIn({ scheduledTime, readAt }: Row, { dueNow }: Known): ComponentChildren {
  if (scheduledTime === undefined) return NONE;
  return durationText(Date.parse(scheduledTime) - dueNow(readAt));
}
