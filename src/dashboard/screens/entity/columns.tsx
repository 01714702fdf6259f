// The columns of the list, tab by tab, and which of them are shown.

import type { ComponentChildren } from 'preact';
import { Given } from '../../parts/panel.js';
import { deliveriesText } from '../../state/deliveries.js';
import { dateTimeText, durationText, numberText, spokenPath } from '../../state/format.js';
import type { Row } from './message-row.js';
import { isDeadTab, type MessageTab } from './tabs.js';

/** Facts of the list beside its rows. */
export type Known = {
  readonly maxDeliveryCount: number | undefined;
  readonly requiresSession: boolean;
  /** By the machine of this page, in milliseconds. */
  readonly now: number;
  /** The receiver of a link. */
  readonly holderOf: (linkId: number | undefined) => string | undefined;
  /** Where the body of a row is shown from. */
  readonly bodyStart: (row: Row) => number;
};

export type Column = {
  readonly name: string;
  /** Pixels; a column with `grows` has at least these, and a share of what is left. */
  readonly width: number;
  readonly grows?: true;
  readonly isRight?: true;
  readonly style?: string;
  /** It is shown from this width of the window on, unless it was chosen. */
  readonly from?: number;
  readonly cell: (row: Row, known: Known) => ComponentChildren;
};

/** A lock with less left stands out. */
const LOW_MS = 5000;
const WIDE = 1400;
const WIDER = 1600;
const NONE = <span class="t3">–</span>;

const MESSAGE_ID: Column = {
  name: 'Message id',
  width: 104,
  style: 'm',
  cell: ({ messageId }) => given(messageId),
};
const SUBJECT: Column = { name: 'Subject', width: 112, from: WIDE, cell: ({ subject }) => given(subject) };
const CORRELATION: Column = {
  name: 'Correlation id',
  ...{ width: 112, style: 'm', from: Number.POSITIVE_INFINITY },
  cell: ({ correlationId }) => given(correlationId),
};
const BODY: Column = {
  name: 'Body',
  ...{ width: 120, grows: true, style: 'm t3' },
  cell: (row, { bodyStart }) => {
    const start = bodyStart(row);
    return <Given text={`${start === 0 ? '' : '…'}${row.body.slice(start)}`} most={200} />;
  },
};
const SESSION: Column = { name: 'Session', width: 96, style: 'm', cell: ({ sessionId }) => given(sessionId) };
const BYTES: Column = {
  name: 'Bytes',
  ...{ width: 72, isRight: true, style: 't2', from: WIDER },
  cell: ({ sizeBytes }) => numberText(sizeBytes),
};
const ENQUEUED: Column = {
  name: 'Enqueued',
  ...{ width: 112, isRight: true, style: 'm t2' },
  cell: ({ enqueuedTime }) => dateTimeText(enqueuedTime),
};
const DELIVERIES: Column = {
  name: 'Deliveries',
  ...{ width: 80, isRight: true },
  cell: (row, { maxDeliveryCount }) => deliveriesText(row, maxDeliveryCount),
};
const REASON: Column = {
  name: 'Reason',
  ...{ width: 160, grows: true },
  cell: ({ reason, description }) => (
    <>
      {given(reason)}
      {description === undefined ? null : (
        <span class="t3">
          {' '}
          <Given text={description} most={200} />
        </span>
      )}
    </>
  ),
};
const DEAD_SINCE: Column = {
  name: 'Dead since',
  ...{ width: 112, isRight: true, style: 'm t2' },
  cell: ({ deadLetteredTime }) => (deadLetteredTime === undefined ? NONE : dateTimeText(deadLetteredTime)),
};

const OF_TABS: Readonly<Record<MessageTab, readonly Column[]>> = {
  active: [DELIVERIES, ENQUEUED, BYTES],
  locked: [
    { name: 'Holder', width: 136, cell: ({ lock }, { holderOf }) => given(holderOf(lock?.linkId)) },
    { name: 'Time left', width: 88, isRight: true, cell: ({ lock }, known) => timeLeft(lock, known) },
    { ...DELIVERIES, name: 'Delivery' },
    BYTES,
  ],
  scheduled: [
    {
      name: 'For',
      ...{ width: 136, isRight: true, style: 'm' },
      cell: ({ scheduledTime }) => (scheduledTime === undefined ? NONE : dateTimeText(scheduledTime)),
    },
    { name: 'In', width: 96, isRight: true, style: 't2', cell: scheduledIn },
    BYTES,
  ],
  deferred: [DELIVERIES, ENQUEUED, BYTES],
  dead: [
    { ...DELIVERIES, width: 96 },
    { name: 'Last holder', width: 128, from: 1200, cell: ({ lastHolder }) => given(lastHolder) },
    DEAD_SINCE,
    BYTES,
  ],
  'transfer-dead': [
    {
      name: 'Was for',
      width: 136,
      cell: ({ destination }) => given(destination === undefined ? undefined : spokenPath(destination)),
    },
    DEAD_SINCE,
    BYTES,
  ],
};

/** All columns behind the number that the list of a tab can have. */
export function columnsOf(tab: MessageTab, requiresSession: boolean): readonly Column[] {
  const isDead = isDeadTab(tab);
  const session = requiresSession ? [SESSION] : [];
  return [MESSAGE_ID, ...(isDead ? [REASON] : []), BODY, SUBJECT, CORRELATION, ...session, ...OF_TABS[tab]];
}

/** The columns that are shown: those that were chosen, or else as many as the window has room for. */
export function shownColumns(
  columns: readonly Column[],
  chosen: readonly string[] | undefined,
  windowWidth: number,
): readonly Column[] {
  return columns.filter(({ name, from = 0 }) => chosen?.includes(name) ?? windowWidth >= from);
}

function given(text: string | undefined): ComponentChildren {
  return text === undefined || text === '' ? NONE : <Given text={text} most={200} />;
}

function timeLeft(lock: Row['lock'], { now }: Known): ComponentChildren {
  if (lock === undefined) return NONE;
  if (lock.until === undefined) return <span class="t2">no end</span>;
  const leftMs = lock.until - now;
  if (leftMs <= 0) return <span class="amb">over</span>;
  return <span class={leftMs < LOW_MS ? 'amb b' : ''}>{durationText(leftMs)}</span>;
}

function scheduledIn({ scheduledTime }: Row, { now }: Known): ComponentChildren {
  if (scheduledTime === undefined) return NONE;
  return durationText(Date.parse(scheduledTime) - now);
}
