// The table of messages: the rows in view, the one under the cursor, and the one that is opened in place.

import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../../parts/icon.js';
import { Given } from '../../parts/panel.js';
import type { VirtualRows } from '../../parts/virtual-rows.js';
import { numberText } from '../../state/format.js';
import { hrefOf } from '../../state/route.js';
import { type Column, columnsOf, type Known } from './columns.js';
import type { MessagePages } from './message-pages.js';
import type { Row } from './message-row.js';
import { PEEK_ROWS, Peek } from './peek.js';
import type { Place } from './read-messages.js';
import type { Selection } from './selection.js';
import { TAB_NAMES } from './tabs.js';

export const ROW_HEIGHT = 32;
/** The number of rows that are reused grows by steps, so that it seldom changes. */
const REUSED_STEP = 32;

type TableProps = {
  readonly place: Place;
  readonly pages: MessagePages<Row>;
  readonly rows: VirtualRows;
  readonly known: Known;
  readonly selection: Selection;
  readonly cursor: number;
  /** The index of the row that is opened. */
  readonly peeked: number | undefined;
  readonly onPoint: (index: number, event: MouseEvent) => void;
};

export function MessageTable(props: TableProps) {
  const { place, pages, rows, known, peeked } = props;
  const columns = columnsOf(place.tab, known.requiresSession);
  const slots = slotsOf(rows, pages.count, peeked);
  const width = columns.length + 3;
  return (
    <div class="rows" ref={rows.ref}>
      <table class="fix messages" aria-rowcount={pages.count}>
        <caption class="vh">
          {TAB_NAMES[place.tab]} messages of {place.path}
        </caption>
        <colgroup>
          <col style={{ width: '40px' }} />
          <col style={{ width: '80px' }} />
          <col style={{ width: '120px' }} />
          {columns.map(({ name, width: pixels }) => (
            <col key={name} style={pixels === undefined ? {} : { width: `${pixels}px` }} />
          ))}
        </colgroup>
        <Head columns={columns} pages={pages} selection={props.selection} />
        <tbody>
          <tr class="gap" style={{ height: `${slots.above}px` }} />
          {slots.indexes.map((index) => (
            <Slot
              key={index % reusedCount(slots.indexes.length)}
              {...props}
              index={index}
              columns={columns}
              width={width}
            />
          ))}
          <tr class="gap" style={{ height: `${slots.below}px` }} />
        </tbody>
      </table>
    </div>
  );
}

/** A row that leaves the view becomes the one that enters it, which costs a third of a new one. No two in view share a key. */
function reusedCount(drawn: number): number {
  return Math.ceil(drawn / REUSED_STEP) * REUSED_STEP;
}

type Slots = { readonly indexes: readonly number[]; readonly above: number; readonly below: number };

/** The rows to draw: an opened row takes the room of some more below it, and is drawn whole or not at all. */
function slotsOf(
  { first, end, above, below }: VirtualRows,
  count: number,
  peeked: number | undefined,
): Slots {
  const toRow = (slot: number) => {
    if (peeked === undefined || slot <= peeked) return slot;
    return Math.max(peeked, slot - PEEK_ROWS);
  };
  const from = toRow(first);
  const to = Math.min(count, toRow(Math.max(0, end - 1)) + 1);
  const drawnFrom = peeked !== undefined && from > peeked ? from + PEEK_ROWS : from;
  const drawnTo = peeked !== undefined && to > peeked ? to + PEEK_ROWS : to;
  return {
    indexes: Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index),
    above: Math.max(0, above - (first - drawnFrom) * ROW_HEIGHT),
    below: Math.max(0, below - (drawnTo - end) * ROW_HEIGHT),
  };
}

type HeadProps = Pick<TableProps, 'pages' | 'selection'> & {
  readonly columns: readonly Column[];
};

function Head({ columns, pages, selection }: HeadProps) {
  const { isAll, numbers } = selection;
  const isEvery = isAll || (numbers.size > 0 && numbers.size >= pages.count);
  return (
    <thead>
      <tr>
        <th scope="col">
          <Check
            label="Select all that match"
            state={isEvery ? 'true' : numbers.size > 0 ? 'mixed' : 'false'}
            onToggle={isEvery ? selection.clear : selection.selectAll}
          />
        </th>
        <th scope="col" class="r" aria-sort="ascending" title="In the order of sequence numbers">
          # ↑
        </th>
        <th scope="col">Message id</th>
        {columns.map(({ name, title, isRight }) => (
          <th key={name} scope="col" class={isRight === true ? 'r' : ''} title={title}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

type SlotProps = TableProps & {
  readonly index: number;
  readonly columns: readonly Column[];
  readonly width: number;
};

function Slot({ index, columns, width, place, pages, known, selection, cursor, peeked, ...rest }: SlotProps) {
  const row = pages.rowAt(index);
  const element = useRef<HTMLTableRowElement>(null);
  useLayoutEffect(() => () => loseFocus(element.current), [row?.sequenceNumber]);
  if (row === undefined) {
    return (
      <tr class="sk-row">
        <td colSpan={width}>
          <i />
        </td>
      </tr>
    );
  }
  const { sequenceNumber, messageId } = row;
  const isSelected = selection.has(sequenceNumber);
  const style = `${isSelected ? 'sel' : ''}${index === cursor ? ' cur' : ''}`;
  const href = hrefOf({ screen: 'message', ...place, sequenceNumber });
  return (
    <>
      <tr
        ref={element}
        class={style}
        aria-rowindex={index + 1}
        onClick={(event) => rest.onPoint(index, event)}
      >
        <td>
          <Check
            label={`Select ${sequenceNumber}`}
            state={isSelected ? 'true' : 'false'}
            onToggle={() => selection.toggle(sequenceNumber)}
          />
        </td>
        <td class="r m">
          <a href={href}>{numberText(sequenceNumber)}</a>
        </td>
        <td class="m">
          <a href={href}>
            {messageId === undefined ? <span class="t3">–</span> : <Given text={messageId} />}
          </a>
        </td>
        {columns.map(({ name, isRight, style: more = '', cell }) => (
          <td key={name} class={`${isRight === true ? 'r ' : ''}${more}`}>
            {cell(row, known)}
          </td>
        ))}
      </tr>
      {index === peeked ? (
        <tr class="peek">
          <td colSpan={width} style={{ height: `${PEEK_ROWS * ROW_HEIGHT}px` }}>
            <Peek place={place} row={row} />
          </td>
        </tr>
      ) : null}
    </>
  );
}

/** The focus does not pass on from one message to another. */
function loseFocus(row: HTMLElement | null): void {
  const { activeElement } = document;
  if (row !== null && activeElement instanceof HTMLElement && row.contains(activeElement))
    activeElement.blur();
}

type CheckProps = {
  readonly label: string;
  readonly state: 'true' | 'false' | 'mixed';
  readonly onToggle: () => void;
};

/** A button, because the keys of the list are off while a field of a form has the focus. */
function Check({ label, state, onToggle }: CheckProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above
    <button
      type="button"
      role="checkbox"
      class={state === 'true' ? 'cb on' : 'cb'}
      aria-checked={state}
      aria-label={label}
      onClick={(event) => {
        event.stopPropagation();
        onToggle();
      }}
    >
      {state === 'true' ? <Icon name="check" /> : state === 'mixed' ? <span class="some" /> : null}
    </button>
  );
}
