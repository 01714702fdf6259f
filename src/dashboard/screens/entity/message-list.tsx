// The list of one tab: filter, table, selection and keys.

import { useLayoutEffect, useState } from 'preact/hooks';
import { Empty } from '../../parts/panel.js';
import { useVirtualRows } from '../../parts/virtual-rows.js';
import { numberText, spokenPath } from '../../state/format.js';
import { go, hrefOf } from '../../state/route.js';
import type { Listed } from '../../state/store.js';
import { useStore } from '../../state/use-store.js';
import { Ask } from './ask.js';
import { ColumnChoice } from './column-choice.js';
import { type Column, columnsOf, type Known, shownColumns, sortOf } from './columns.js';
import { useCursor } from './cursor.js';
import { differingTexts } from './differing-text.js';
import { FilterBar } from './filter-bar.js';
import { useHolders } from './holders.js';
import { ListFoot } from './list-foot.js';
import { useListKeys } from './list-keys.js';
import { type SortBy, useListSettings } from './list-settings.js';
import type { Selected } from './manage.js';
import type { Row } from './message-row.js';
import type { Sort } from './message-rows.js';
import { MessageTable } from './message-table.js';
import { PEEK_HEIGHT } from './peek.js';
import type { Order, Place } from './read-messages.js';
import { type Selection, useSelection } from './selection.js';
import { SelectionBar } from './selection-bar.js';
import { emptyText } from './tabs.js';
import { type Acts, useActs } from './use-acts.js';
import { type Messages, useMessages } from './use-messages.js';

const ROW_HEIGHT = 32;
/** Narrower windows show a card of several lines for each row. */
const PHONE_WIDTH = 640;
const CARD_HEIGHT = 84;

type ListProps = {
  readonly place: Place;
  readonly filter: string;
  /** Hands the acts to the head of the screen. */
  readonly onActs: (acts: Acts) => void;
};

export function MessageList({ place, filter, onActs }: ListProps) {
  const { path, tab } = place;
  const store = useStore();
  const [settings, setSettings] = useListSettings(tab);
  const { order } = settings;
  const columns = columnsOf(tab, hasSessions(store.entityAt(path)));
  const shown = shownColumns(columns, settings.columns, innerWidth);
  const sort = sortOf(shown, settings.sort);
  const list = useList({ place, filter, order }, sort);
  const { messages, view, peeked, setPeeked, cursor } = list;
  const { rows } = messages;
  // After a restart, numbers may be those of other messages: nothing is selected then.
  const selection = useSelection(`${path} ${tab} ${store.openedCount.value} ${filter}`);
  const acts = useActs({
    place,
    chosen: () => chosenOf(selection, filter, cursor.number()),
    originOf: (number) => {
      const row = rows?.rowAt(rows.indexOf(number));
      return row?.sequenceNumber === number ? row.deadLetterSource : undefined;
    },
    after: async () => {
      selection.clear();
      await messages.refresh();
    },
  });
  useLayoutEffect(() => onActs(acts));
  useListKeys({
    ...{ place, selection, acts, cursor, rows },
    togglePeek: () => setPeeked((before) => (before === cursor.number() ? undefined : cursor.number())),
    closePeek: peeked === undefined ? undefined : () => setPeeked(undefined),
  });
  const known = useKnown(place, messages, view);
  const count = allCount(messages, filter);
  return (
    <>
      <FilterBar
        {...{ place, text: filter, newCount: rows?.newCount ?? 0 }}
        onChange={(text) => {
          selection.clear();
          location.replace(hrefOf({ screen: 'entity', ...place, filter: text }));
        }}
        counted={countedText(messages, filter)}
        onShowNew={() => rows?.showNew().then(() => view.show(0))}
      >
        <ColumnChoice {...{ columns, shown }} onChoose={(chosen) => setSettings({ columns: chosen })} />
      </FilterBar>
      <Rows
        {...{ place, filter, list, known, selection, order, sort, columns: shown }}
        onOrder={(next) => setSettings({ order: next, sort: undefined })}
        onSort={(next) => setSettings({ sort: next })}
      />
      <SelectionBar {...{ place, selection, acts, count }} isFiltered={filter !== ''} />
      <Ask {...{ place, acts, count }} />
    </>
  );
}

type RowsProps = Pick<ListProps, 'place' | 'filter'> & {
  readonly list: ReturnType<typeof useList>;
  readonly known: Known;
  readonly selection: Selection;
  readonly order: Order;
  readonly onOrder: (order: Order) => void;
  readonly sort: SortBy | undefined;
  readonly onSort: (sort: SortBy) => void;
  readonly columns: readonly Column[];
};

function Rows({ place, filter, list, ...shown }: RowsProps) {
  const { messages, view, peeked, cursor, rowHeight, peekRows } = list;
  const { rows } = messages;
  return (
    <div class="panel grow">
      {rows === undefined || rows.count === 0 ? (
        <Nothing {...{ place, filter, messages }} />
      ) : (
        <MessageTable
          {...{ place, peeked, rowHeight, peekRows, messages: rows, rows: view, cursor: cursor.index() }}
          {...shown}
          onPoint={(index, event) => {
            if (event.target instanceof Element && event.target.closest('a, button') !== null) return;
            cursor.moveTo(index);
            const sequenceNumber = rows.rowAt(index)?.sequenceNumber;
            // A text that was just selected is to be copied.
            if (sequenceNumber !== undefined && getSelection()?.isCollapsed !== false)
              go({ screen: 'message', ...place, sequenceNumber });
          }}
        />
      )}
      <ListFoot {...{ messages, isFiltered: filter !== '' }} />
    </div>
  );
}

/** The rows of the list, with room for the one that is opened, and the cursor. */
function useList(question: Parameters<typeof useMessages>[0], sort: Sort<Row> | undefined) {
  const [peekedNumber, setPeeked] = useState<number>();
  const [slotCount, setSlotCount] = useState(0);
  const rowHeight = innerWidth < PHONE_WIDTH ? CARD_HEIGHT : ROW_HEIGHT;
  const peekRows = PEEK_HEIGHT / rowHeight;
  const view = useVirtualRows(slotCount, rowHeight);
  const messages = useMessages(question, { first: view.first, end: view.end });
  const { rows } = messages;
  rows?.sort(sort);
  const index = peekedNumber === undefined ? undefined : rows?.indexOf(peekedNumber);
  const isThere = index !== undefined && rows?.rowAt(index)?.sequenceNumber === peekedNumber;
  const peeked = isThere ? index : undefined;
  const wantedCount = (rows?.count ?? 0) + (peeked === undefined ? 0 : Math.ceil(peekRows));
  if (wantedCount !== slotCount) setSlotCount(wantedCount);
  const slotOf = (at: number) => (peeked !== undefined && at > peeked ? at + Math.ceil(peekRows) : at);
  const cursor = useCursor(rows, (at) => view.show(slotOf(at)));
  return { messages, view, peeked, setPeeked, cursor, rowHeight, peekRows: Math.ceil(peekRows) };
}

function useKnown({ path, tab }: Place, { rows }: Messages, view: { first: number; end: number }): Known {
  const store = useStore();
  const holderOf = useHolders(tab === 'locked');
  const entity = store.entityAt(path);
  const isReceiving = entity !== undefined && entity.kind !== 'topic';
  const inView: Row[] = [];
  for (let index = view.first; index < view.end; index++) {
    const row = rows?.rowAt(index);
    if (row !== undefined) inView.push(row);
  }
  const bodies = differingTexts(inView.map(({ body }) => body));
  const bodyOf = new Map(inView.map((row, index) => [row, bodies[index]]));
  return {
    holderOf,
    bodyOf: (row) => bodyOf.get(row) ?? row.body,
    maxDeliveryCount: isReceiving ? entity.maxDeliveryCount : undefined,
    // The other tabs do not call it, and need not be drawn each second.
    dueNow: (readAt) => store.dueNow(readAt),
  };
}

/** The selection, or else the row under the cursor. */
function chosenOf(selection: Selection, filter: string, current: number | undefined): Selected | undefined {
  const { isAll, numbers } = selection.now();
  if (isAll) return { kind: 'all', filter };
  if (numbers.size > 0) return { kind: 'some', numbers: [...numbers].sort((a, b) => a - b) };
  return current === undefined ? undefined : { kind: 'some', numbers: [current] };
}

function hasSessions(entity: Listed | undefined): boolean {
  return entity !== undefined && entity.kind !== 'topic' && entity.requiresSession;
}

/** `13 of 23`, beside the filter. */
function countedText({ rows }: Messages, filter: string): string {
  if (rows === undefined || filter === '') return '';
  return `${numberText(rows.count)} of ${numberText(rows.isComplete ? rows.totalCount : rows.scannedCount)}`;
}

/** How many an act on all is about; undefined while that is not known. */
function allCount({ rows }: Messages, filter: string): number | undefined {
  if (filter === '') return rows?.totalCount;
  return rows?.isComplete ? rows.count : undefined;
}

type NothingProps = { readonly place: Place; readonly filter: string; readonly messages: Messages };

/** Why there are no rows: nothing is there, none matches, or it cannot be read. */
function Nothing({ place, filter, messages: { rows, problem, isStopped } }: NothingProps) {
  if (problem !== undefined) return <Empty title="These messages cannot be shown.">{problem}</Empty>;
  if (rows === undefined) return <Frame />;
  if (filter !== '' && rows.scannedCount > 0) {
    const scanned = numberText(rows.scannedCount);
    if (rows.isComplete) return <Empty title={`None of ${scanned} matches.`}>{''}</Empty>;
    const title = `None in the first ${scanned} of ${numberText(rows.totalCount)}`;
    return (
      <Empty title={`${title}${isStopped ? '.' : ' so far …'}`}>
        {isStopped ? 'Go on below.' : 'The emulator looks at more of them.'}
      </Empty>
    );
  }
  const [title, text] = emptyText(place.tab, spokenPath(place.path));
  return <Empty title={title}>{text}</Empty>;
}

/** The shape of a list that is on its way; its style shows it after 150 ms. */
function Frame() {
  return (
    <div class="loading" role="status" aria-label="Reading">
      {Array.from({ length: 12 }, (_, index) => (
        <div class="sk" key={index}>
          <i />
          <i />
          <i />
          <i />
        </div>
      ))}
    </div>
  );
}
