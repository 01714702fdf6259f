// The table of messages: the rows in view, the one under the cursor, and the one that is opened in place. On a phone a row is a card.

import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../../parts/icon.js';
import type { VirtualRows } from '../../parts/virtual-rows.js';
import { numberText } from '../../state/format.js';
import { hrefOf } from '../../state/route.js';
import { type Column, cellOf, type Known } from './columns.js';
import type { SortBy } from './list-settings.js';
import type { Row } from './message-row.js';
import { type MessageRows, MOST_SORTED } from './message-rows.js';
import { PEEK_HEIGHT, Peek } from './peek.js';
import type { Order, Place } from './read-messages.js';
import type { Selection } from './selection.js';
import { TAB_NAMES } from './tabs.js';

const CHECK_WIDTH = 40;
const NUMBER_WIDTH = 72;
/** The number of rows that are reused grows by steps, so that it seldom changes. */
const REUSED_STEP = 32;
const NOT_SORTED = `Sorted by number. By other columns at most ${numberText(MOST_SORTED)} messages are sorted: a filter finds fewer`;

type TableProps = {
  readonly place: Place;
  readonly messages: MessageRows<Row>;
  readonly rows: VirtualRows;
  /** In pixels; on a phone a row is a card. */
  readonly rowHeight: number;
  /** The slots of the view that an opened row takes below itself. */
  readonly peekRows: number;
  readonly columns: readonly Column[];
  readonly order: Order;
  readonly onOrder: (order: Order) => void;
  /** Undefined: by number. */
  readonly sort: SortBy | undefined;
  readonly onSort: (sort: SortBy) => void;
  readonly known: Known;
  readonly selection: Selection;
  readonly cursor: number;
  /** The index of the row that is opened. */
  readonly peeked: number | undefined;
  readonly onPoint: (index: number, event: MouseEvent) => void;
};

export function MessageTable(props: TableProps) {
  const { place, messages, rows, columns, peeked } = props;
  const slots = slotsOf(props, messages.count);
  const leastWidth = columns.reduce((sum, { width }) => sum + width, CHECK_WIDTH + NUMBER_WIDTH);
  const reused = Math.ceil(slots.indexes.length / REUSED_STEP) * REUSED_STEP;
  return (
    <div class="rows" ref={rows.ref}>
      <table class="fix messages" aria-rowcount={messages.count} style={{ minWidth: `${leastWidth}px` }}>
        <caption class="vh">
          {TAB_NAMES[place.tab]} messages of {place.path}
        </caption>
        <colgroup>
          <col style={{ width: `${CHECK_WIDTH}px` }} />
          <col style={{ width: `${NUMBER_WIDTH}px` }} />
          {columns.map(({ name, width, grows }) => (
            <col key={name} style={grows ? {} : { width: `${width}px` }} />
          ))}
        </colgroup>
        <Head {...props} />
        <tbody>
          <tr class="gap" style={{ height: `${slots.above}px` }} />
          {slots.indexes.map((index) => (
            // A row that leaves the view becomes the one that enters it, which costs a third of a new one.
            <Slot key={index % reused} {...props} index={index} isPeeked={index === peeked} />
          ))}
          <tr class="gap" style={{ height: `${slots.below}px` }} />
        </tbody>
      </table>
    </div>
  );
}

type Slots = { readonly indexes: readonly number[]; readonly above: number; readonly below: number };

/** The rows to draw: an opened row takes the room of some more below it, and is drawn whole or not at all. */
function slotsOf({ rows, rowHeight, peeked, peekRows }: TableProps, count: number): Slots {
  const { first, end, above, below } = rows;
  const toRow = (slot: number) => {
    if (peeked === undefined || slot <= peeked) return slot;
    return Math.max(peeked, slot - peekRows);
  };
  const from = toRow(first);
  const to = Math.min(count, toRow(Math.max(0, end - 1)) + 1);
  const drawnFrom = peeked !== undefined && from > peeked ? from + peekRows : from;
  const drawnTo = peeked !== undefined && to > peeked ? to + peekRows : to;
  return {
    indexes: Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index),
    above: Math.max(0, above - (first - drawnFrom) * rowHeight),
    below: Math.max(0, below - (drawnTo - end) * rowHeight),
  };
}

function Head({ columns, messages, selection, order, onOrder, sort: wanted, onSort }: TableProps) {
  const { isAll, numbers } = selection;
  const isEvery = isAll || (numbers.size > 0 && numbers.size >= messages.count);
  const isOldest = order === 'oldest';
  const sort = messages.canSort ? wanted : undefined;
  const byNumber = sort === undefined;
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
        <th scope="col" class="r" aria-sort={byNumber ? ariaSort(!isOldest) : undefined}>
          <button
            type="button"
            class="flat sm"
            title={
              isOldest ? 'The oldest first; press for the newest' : 'The newest first; press for the oldest'
            }
            onClick={() => onOrder(byNumber === isOldest ? 'newest' : 'oldest')}
          >
            # {byNumber ? arrow(!isOldest) : ''}
          </button>
        </th>
        {columns.map(({ name, isRight }) => {
          const isSorted = sort?.name === name;
          const isDescending = isSorted && sort.isDescending;
          return (
            <th
              key={name}
              scope="col"
              class={isRight ? 'r' : ''}
              aria-sort={isSorted ? ariaSort(isDescending) : undefined}
              title={messages.canSort ? undefined : NOT_SORTED}
            >
              {messages.canSort ? (
                <button
                  type="button"
                  class="flat sm"
                  onClick={() => onSort({ name, isDescending: isSorted && !isDescending })}
                >
                  {name} {isSorted ? arrow(isDescending) : ''}
                </button>
              ) : (
                name
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

function ariaSort(isDescending: boolean): 'ascending' | 'descending' {
  return isDescending ? 'descending' : 'ascending';
}

function arrow(isDescending: boolean): string {
  return isDescending ? '↓' : '↑';
}

type SlotProps = TableProps & { readonly index: number; readonly isPeeked: boolean };

function Slot({ index, isPeeked, columns, place, messages, known, selection, cursor, onPoint }: SlotProps) {
  const row = messages.rowAt(index);
  const element = useRef<HTMLTableRowElement>(null);
  useLayoutEffect(() => () => loseFocus(element.current), [row?.sequenceNumber]);
  if (row === undefined) return null;
  const { sequenceNumber } = row;
  const isSelected = selection.has(sequenceNumber);
  const href = hrefOf({ screen: 'message', ...place, sequenceNumber });
  const style = `${isSelected ? 'sel' : ''}${index === cursor ? ' cur' : ''}`;
  return (
    <>
      <tr ref={element} class={style} aria-rowindex={index + 1} onClick={(event) => onPoint(index, event)}>
        <td>
          <Check
            label={`Select ${sequenceNumber}`}
            state={isSelected ? 'true' : 'false'}
            onToggle={() => selection.toggle(sequenceNumber)}
          />
        </td>
        <th scope="row" class="r m">
          <a href={href}>{numberText(sequenceNumber)}</a>
        </th>
        {columns.map((column) => {
          const { content, title } = cellOf(column, row, known);
          const { name, isRight, isLink, style: more = '' } = column;
          return (
            <td key={name} data-name={name} title={title} class={`${isRight ? 'r ' : ''}${more}`}>
              {isLink ? <a href={href}>{content}</a> : content}
            </td>
          );
        })}
      </tr>
      {isPeeked ? (
        <tr class="peek">
          <td colSpan={columns.length + 2} style={{ height: `${PEEK_HEIGHT}px` }}>
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
