// The search on top: entities by name, and messages of all entities as they are found, while one types.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Cut } from './parts/cut.js';
import { Icon, type IconName } from './parts/icon.js';
import { findEntities } from './state/find-entities.js';
import { dateTimeText, numberText, plural, shownText, spokenPath } from './state/format.js';
import { errorText } from './state/notices.js';
import { go, type Route } from './state/route.js';
import { type Hit, newSearch, placeOfHit, type Search, searchFor, searchMessages } from './state/search.js';
import { useStore } from './state/use-store.js';

/** A pause in typing, after which messages are searched. */
const PAUSE_MS = 150;
/** The hits of a search, and those that are added when it goes on. */
const FIRST_HITS = 20;
const MORE_HITS = 100;
const MOST_ENTITIES = 5;

type Option = { readonly key: string; readonly to: Route; readonly icon: IconName; readonly hit?: Hit };

export function Find() {
  const { text, search, options, chosen, type, press, open, goOn } = useFinder();
  const isOpen = text.trim() !== '';
  return (
    <search class="finder">
      <div class="find">
        <Icon name="search" />
        <input
          data-find
          type="text"
          role="combobox"
          autocomplete="off"
          spellcheck={false}
          aria-label="Find an entity or a message"
          aria-expanded={isOpen}
          aria-controls="found"
          aria-activedescendant={isOpen && chosen >= 0 ? `found-${chosen}` : undefined}
          placeholder="Entity, number, id, subject, property"
          title="Finds entities by name, and messages by number, ids, subject and application properties. Bodies are not searched here: the filter of a list does that with body:."
          value={text}
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={press}
        />
        <kbd>/</kbd>
      </div>
      {isOpen ? (
        <div class="found">
          <div id="found" role="listbox" aria-label="Found">
            {options.map((option, index) => (
              <FoundOption
                key={option.key}
                option={option}
                id={`found-${index}`}
                isChosen={index === chosen}
                onOpen={() => open(option)}
              />
            ))}
          </div>
          <Ending search={search} onMore={goOn} />
        </div>
      ) : null}
    </search>
  );
}

/** The text of the field, what it finds, and which of it Enter opens. */
function useFinder() {
  const { listed } = useStore();
  const [text, setText] = useState('');
  /** Undefined before an arrow was pressed: the first that was found, and nothing if nothing was. */
  const [moved, setMoved] = useState<number>();
  const wanted = text.trim();
  const { search, goOn } = useSearch(wanted);
  const options = optionsOf(wanted, findEntities(wanted, listed.value).slice(0, MOST_ENTITIES), search);
  const chosen = moved ?? (options.length === 1 ? -1 : 0);
  /** Enter was pressed before anything was found: the first hit is opened when it comes. */
  const isAwaited = useRef(false);
  const type = (next: string) => {
    isAwaited.current = false;
    setText(next);
    setMoved(undefined);
  };
  const open = (option: Option) => {
    type('');
    go(option.to);
    document.querySelector('main')?.focus();
  };
  const enter = () => {
    const option = options[chosen];
    if (option !== undefined) open(option);
    else isAwaited.current = true;
  };
  useEffect(() => {
    const [first] = options;
    if (isAwaited.current && first?.hit !== undefined) open(first);
  });
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') {
      type('');
      (event.currentTarget as HTMLElement).blur();
    } else if (step !== undefined && wanted !== '') {
      event.preventDefault();
      setMoved(Math.max(chosen + step, step < 0 && chosen <= 0 ? options.length - 1 : 0) % options.length);
    } else if (event.key === 'Enter' && wanted !== '') {
      event.preventDefault();
      enter();
    }
  };
  return { text, search, options, chosen, type, press, open, goOn };
}

/** Searches a moment after the last key; the next key ends it. */
function useSearch(text: string): { readonly search: Search; readonly goOn: () => void } {
  const { link } = useStore();
  const [search, setSearch] = useState(newSearch('', false));
  const ending = useRef<AbortController | undefined>(undefined);
  const isLost = link.value === 'lost';
  const goOnWith = (begun: Search, limit: number) => {
    if (ending.current !== undefined) searchMessages(begun, limit, setSearch, ending.current.signal);
  };
  useEffect(() => {
    const begun = newSearch(text, text !== '' && !isLost);
    setSearch(begun);
    if (!begun.isRunning) return;
    const own = new AbortController();
    ending.current = own;
    const timer = setTimeout(() => goOnWith(begun, FIRST_HITS), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      own.abort();
    };
  }, [text, isLost]);
  return { search: searchFor(text, search), goOn: () => goOnWith(search, MORE_HITS) };
}

/** Entities by name first, then messages; the last one follows the text on the timeline. */
function optionsOf(text: string, entities: readonly Route[], { hits }: Search): readonly Option[] {
  return [
    ...entities.map((to): Option => ({ key: `e ${'path' in to ? to.path : ''}`, to, icon: 'queue' })),
    ...hits.map((hit): Option => {
      const icon = iconOf(hit);
      return { key: `m ${hit.path} ${hit.subQueue} ${hit.sequenceNumber}`, to: placeOfHit(hit), icon, hit };
    }),
    { key: 'timeline', to: { screen: 'timeline', filter: text }, icon: 'lanes' },
  ];
}

function iconOf({ subQueue, state }: Hit): IconName {
  if (subQueue !== undefined) return subQueue === 'transfer' ? 'forward' : 'dead';
  return state === 'locked' || state === 'scheduled' || state === 'deferred' ? state : 'active';
}

type OptionProps = {
  readonly option: Option;
  readonly id: string;
  readonly isChosen: boolean;
  readonly onOpen: () => void;
};

function FoundOption({ option: { to, icon, hit }, id, isChosen, onOpen }: OptionProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isChosen) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
    // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
    <div
      ref={element}
      id={id}
      role="option"
      aria-selected={isChosen}
      onPointerDown={(event) => event.preventDefault()}
      onClick={onOpen}
    >
      <span class={icon === 'dead' ? 'red' : 't3'}>
        <Icon name={icon} />
      </span>
      {hit === undefined ? <PlaceText to={to} /> : <HitText hit={hit} />}
    </div>
  );
}

function PlaceText({ to }: { readonly to: Route }) {
  if (to.screen === 'timeline') {
    return (
      <span class="el">
        Follow <b>{shownText(to.filter, 60)}</b> on the timeline
      </span>
    );
  }
  return (
    <span class="b el">
      <Cut text={spokenPath('path' in to ? (to.path ?? '') : '')} />
    </span>
  );
}

function HitText({ hit }: { readonly hit: Hit }) {
  const { path, subQueue, state, sequenceNumber, messageId, field, value, enqueuedTime } = hit;
  const place = {
    deadletter: 'dead letter',
    transfer: 'waits to be forwarded',
    transferDeadLetter: 'transfer dead letter',
  } as const;
  return (
    <>
      <span class="el">
        <b>#{sequenceNumber}</b> <bdi>{shownText(messageId ?? '', 60)}</bdi>
        <span class="t2">
          {' '}
          {subQueue === undefined ? state : place[subQueue]} in {spokenPath(path)}
        </span>
      </span>
      <span class="when t3">{dateTimeText(enqueuedTime)}</span>
      {field === 'messageId' || field === 'sequenceNumber' ? null : (
        <span class="match el t2">
          {field}: <bdi>{shownText(value, 120)}</bdi>
        </span>
      )}
    </>
  );
}

function Ending({ search, onMore }: { readonly search: Search; readonly onMore: () => void }) {
  const { isRunning, next, hits, scannedCount, totalCount, error } = search;
  const text = useMemo(() => endText(search), [search]);
  const isMissing = error !== undefined && hits.length === 0 && scannedCount === 0;
  return (
    <div class="ending" role="status">
      {isRunning && totalCount > 0 ? (
        <progress max={totalCount} value={scannedCount} aria-label="Searched messages" />
      ) : null}
      <span>{isMissing ? errorText(error) : text}</span>
      {next !== undefined && !isRunning && error === undefined ? (
        <button type="button" class="sm" onClick={onMore}>
          Go on
        </button>
      ) : null}
    </div>
  );
}

/** `None in the first 20,000 of 100,000 messages.` */
function endText({ isRunning, isCut, hits, scannedCount, totalCount }: Search): string {
  const found = hits.length === 0 ? 'None' : `${numberText(hits.length)} found`;
  if (isRunning)
    return totalCount === 0
      ? 'Searching…'
      : `${found} in ${numberText(scannedCount)} of ${numberText(totalCount)}…`;
  if (isCut)
    return `${found} in the first ${numberText(scannedCount)} of ${numberText(totalCount)} messages.`;
  const all = `${found} in ${plural(totalCount, 'message')}.`;
  return hits.length === 0 ? `${all} Bodies are not searched here.` : all;
}
