// The list of one tab: filter, table, selection and keys.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { Empty } from '../../parts/panel.js';
import { useVirtualRows } from '../../parts/virtual-rows.js';
import { numberText, spokenPath } from '../../state/format.js';
import { excludingText, type MessageFilter, parseFilter } from '../../state/message-filter.js';
import { entityAt, now, openedCount } from '../../state/model.js';
import { hrefOf } from '../../state/route.js';
import { attempt } from '../../state/said.js';
import { Ask } from './ask.js';
import type { Known } from './columns.js';
import { useCursor } from './cursor.js';
import { FilterBar } from './filter-bar.js';
import { useDeadSince, useHolders } from './holders.js';
import { type ListActs, useListActs } from './list-acts.js';
import { ListFoot } from './list-foot.js';
import { useListKeys } from './list-keys.js';
import { findEnd, type MessagePages } from './message-pages.js';
import type { Row } from './message-row.js';
import { MessageTable, ROW_HEIGHT } from './message-table.js';
import { PEEK_ROWS } from './peek.js';
import { PAGE, type Place, readAnswer } from './read-messages.js';
import { useSelection } from './selection.js';
import { SelectionBar } from './selection-bar.js';
import { countOf, emptyText, isDeadTab } from './tabs.js';
import { type Messages, useMessages } from './use-messages.js';

type ListProps = {
  readonly place: Place;
  readonly filterText: string;
  /** Hands the acts to the head of the screen. */
  readonly onActs: (acts: ListActs) => void;
};

export function MessageList({ place, filterText, onActs }: ListProps) {
  const [start, setStart] = useStart(filterText);
  const list = useList(place, filterText, start);
  const { messages, rows, peeked, setPeeked, cursor, showLater } = list;
  const { pages } = messages;
  const selection = useSelectionOf(place, filterText);
  const filter = useMemo(() => parseFilter(filterText), [filterText]);
  const acts = useListActs({ place, filter, selection, current: cursor.number, refresh: messages.refresh });
  useEffect(() => onActs(acts));
  useListKeys({
    ...{ place, selection, acts, cursor, pages },
    togglePeek: () => setPeeked((before) => (before === cursor.number() ? undefined : cursor.number())),
    closePeek: peeked === undefined ? undefined : () => setPeeked(undefined),
  });
  const toEnd = async () => {
    setStart(await endOf(place, start));
    showLater(Number.MAX_SAFE_INTEGER);
  };
  const known = useKnown(place);
  const shown = { place, filter, messages, total: totalOf(place) };
  return (
    <>
      <FilterBar
        text={filterText}
        onChange={(text) => {
          selection.clear();
          location.replace(hrefOf({ screen: 'entity', ...place, filter: text }));
        }}
        counted={countedText(shown)}
        reasons={isDeadTab(place.tab) ? pages?.reasons : undefined}
        waiting={pages?.waiting ?? 0}
        onShowWaiting={() => attempt(async () => showLater(await pages?.showWaiting()))}
      />
      <div class="panel grow">
        {pages === undefined || (pages.count === 0 && !isReading(shown)) ? (
          <Nothing {...shown} />
        ) : (
          <MessageTable
            {...{ place, pages, rows, selection, known, peeked }}
            cursor={cursor.index()}
            onPoint={(index, event) => {
              if (!(event.target instanceof HTMLAnchorElement)) cursor.moveTo(index);
            }}
          />
        )}
        <ListFoot
          {...{ messages, start, total: shown.total, isFiltered: filter.terms.length > 0 }}
          onStart={() => setStart(0)}
          onEnd={() => attempt(toEnd)}
        />
      </div>
      <SelectionBar
        {...{ place, selection, acts }}
        allText={`All ${allText(shown)}`}
        count={allText(shown)}
      />
      <Ask {...{ place, acts, count: knownCount(shown) }} />
    </>
  );
}

/** The number that the list begins with: that of the first message again for another filter. */
function useStart(filterText: string): readonly [start: number, setStart: (next: number) => void] {
  const [begun, setBegun] = useState({ filterText, start: 0 });
  const start = begun.filterText === filterText ? begun.start : 0;
  return [start, (next) => setBegun({ filterText, start: next })];
}

/** After a restart, numbers may be those of other messages: nothing is selected then. */
function useSelectionOf({ path, tab }: Place, filterText: string) {
  return useSelection(`${path} ${tab} ${openedCount.value} ${filterText}`);
}

/** The rows of the list, with room for the one that is opened, and the cursor. */
function useList(place: Place, filterText: string, start: number) {
  const [peekedNumber, setPeeked] = useState<number>();
  const [wanted, showLater] = useState<number>();
  const [rowCount, setRowCount] = useState(0);
  const rows = useVirtualRows(rowCount, ROW_HEIGHT);
  const messages = useMessages({ place, filterText, start }, { first: rows.first, end: rows.end });
  const { pages } = messages;
  const peeked = indexOf(pages, peekedNumber);
  const wantedCount = (pages?.count ?? 0) + (peeked === undefined ? 0 : PEEK_ROWS);
  if (wantedCount !== rowCount) setRowCount(wantedCount);
  const slotOf = (index: number) => (peeked !== undefined && index > peeked ? index + PEEK_ROWS : index);
  const cursor = useCursor(pages, (index) => rows.show(slotOf(index)));
  // A row can be shown when the table has the room for it.
  useEffect(() => {
    if (wanted === undefined || pages === undefined || pages.count === 0) return;
    cursor.moveTo(Math.min(pages.indexOf(wanted), pages.count - 1));
    if (pages.isComplete) showLater(undefined);
  }, [wanted, pages, rowCount]);
  return { messages, rows, peeked, setPeeked, cursor, showLater };
}

function indexOf(pages: MessagePages<Row> | undefined, number: number | undefined): number | undefined {
  if (pages === undefined || number === undefined) return undefined;
  const index = pages.indexOf(number);
  return pages.rowAt(index)?.sequenceNumber === number ? index : undefined;
}

function useKnown({ path, tab }: Place): Known {
  const holderOf = useHolders(tab);
  const deadSince = useDeadSince(path, tab);
  const entity = entityAt(path);
  const isReceiving = entity !== undefined && entity.kind !== 'topic';
  return {
    ...{ holderOf, deadSince },
    maxDeliveryCount: isReceiving ? entity.maxDeliveryCount : undefined,
    requiresSession: isReceiving && entity.requiresSession,
    // The other tabs need not be drawn each second.
    now: tab === 'locked' || tab === 'scheduled' ? now.value : 0,
  };
}

/** All messages of the tab; undefined if the entity is not known. */
function totalOf({ path, tab }: Place): number | undefined {
  const entity = entityAt(path);
  return entity === undefined ? undefined : countOf(entity.counts, tab);
}

type Shown = {
  readonly place: Place;
  readonly filter: MessageFilter;
  readonly messages: Messages;
  readonly total: number | undefined;
};

function isReading({ filter, messages: { pages, isStopped } }: Shown): boolean {
  return pages !== undefined && !pages.isComplete && !isStopped && filter.terms.length > 0;
}

/** `13 of 23`, beside the filter. */
function countedText({ filter, messages: { pages }, total }: Shown): string {
  if (pages === undefined || filter.terms.length === 0) return '';
  const all = pages.isComplete ? pages.seen : Math.max(total ?? 0, pages.seen);
  return `${numberText(pages.count)} of ${numberText(all)}`;
}

/** `13 that match`: where not all are looked at yet, their number is not known. */
function allText(shown: Shown): string {
  const { filter, messages, total } = shown;
  if (filter.terms.length === 0) return numberText(total ?? messages.pages?.seen ?? 0);
  const isKnown = messages.pages?.isComplete === true;
  return isKnown ? `${numberText(messages.pages?.count ?? 0)} that match` : 'that match';
}

/** How many an act on all is about; undefined while that is not known. */
function knownCount({ filter, messages, total }: Shown): number | undefined {
  if (filter.terms.length === 0) return total;
  return messages.pages?.isComplete === true ? messages.pages.count : undefined;
}

/** Why there are no rows: nothing is there, the filter excludes all, or the look has failed. */
function Nothing({ place, filter, messages }: Shown) {
  const { pages, problem } = messages;
  if (problem !== undefined) return <Empty title="These messages cannot be shown.">{problem}</Empty>;
  if (pages === undefined) return <Frame />;
  if (filter.terms.length > 0 && pages.seen > 0) {
    return (
      <Empty title="Nothing matches.">
        {excludingText(filter, pages.hits)} {numberText(pages.seen)} were looked at.
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

/** Where the last page of a long list begins. */
function endOf(place: Place, from: number): Promise<number> {
  return findEnd(from, PAGE, async (start) => {
    let count = 0;
    for (let at: number | undefined = start; at !== undefined && count < PAGE; ) {
      const answer = await readAnswer(place, at, PAGE - count);
      count += answer.messages.length;
      at = answer.next;
    }
    return count;
  });
}
