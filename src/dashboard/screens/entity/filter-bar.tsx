// The filter of a list: its field, how many match, the reasons of dead letters as chips, and the messages that have come since.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.js';
import { Given } from '../../parts/panel.js';
import { useTypedFilter } from '../../parts/typed-filter.js';
import { numberText } from '../../state/format.js';
import { hasReason, withReason } from '../../state/message-filter.js';
import { usePolled } from '../../state/use-polled.js';
import type { Place } from './read-messages.js';
import { isDeadTab } from './tabs.js';

/** The time after the last key until the filter is used. */
const PAUSE_MS = 250;
/** The causes are asked for this often. */
const EACH_MS = 2000;
const MOST_REASONS = 3;

type FilterProps = {
  readonly place: Place;
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** `13 of 23`. */
  readonly counted: string;
  /** Messages that have come since, above the view. */
  readonly newCount: number;
  readonly onShowNew: () => void;
  readonly children: ComponentChildren;
};

export function FilterBar({ place, text, onChange, counted, newCount, onShowNew, children }: FilterProps) {
  return (
    <div class="row filters">
      <Field text={text} onChange={onChange} counted={counted} />
      {isDeadTab(place.tab) ? <Reasons place={place} text={text} onChange={onChange} /> : null}
      {newCount === 0 ? null : (
        <button type="button" onClick={onShowNew}>
          <Icon name="accepted" />
          {numberText(newCount)} new
        </button>
      )}
      {children}
    </div>
  );
}

function Field({ text, onChange, counted }: Pick<FilterProps, 'text' | 'onChange' | 'counted'>) {
  const { typed, change, use } = useTypedFilter({ text, onUse: onChange, pauseMs: PAUSE_MS });
  return (
    <div class="field grow">
      <Icon name="search" />
      <input
        data-filter
        type="text"
        class="m"
        spellcheck={false}
        autocomplete="off"
        aria-label="Filter the messages"
        placeholder={'body:"tea" prop.region=EU subject:order.* age:>5m'}
        value={typed}
        onInput={(event) => change(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
          if (event.key === 'Enter') {
            use(typed);
            event.currentTarget.blur();
          }
        }}
      />
      <span class="t3 counted" role="status">
        {counted}
      </span>
      {typed === '' ? (
        <kbd>/</kbd>
      ) : (
        <button type="button" class="flat sm" aria-label="Clear the filter" onClick={() => use('')}>
          <Icon name="close" />
        </button>
      )}
    </div>
  );
}

type Cause = {
  readonly kind: string;
  readonly path?: string;
  readonly subQueue?: string;
  readonly reason?: string;
  readonly count: number;
};

/** The reasons of all dead letters that are there, the most frequent first. */
function Reasons({ place, text, onChange }: Pick<FilterProps, 'place' | 'text' | 'onChange'>) {
  const { value } = usePolled<{ readonly causes: readonly Cause[] }>('causes', { every: EACH_MS });
  const [isWhole, setWhole] = useState(false);
  const counts = reasonCounts(value?.causes ?? [], place);
  if (counts.length === 0) return null;
  const shown = isWhole ? counts : counts.slice(0, MOST_REASONS);
  return (
    <fieldset class="chips" aria-label="Reasons of the dead letters">
      {shown.map(([reason, count]) => {
        const isChosen = hasReason(text, reason);
        return (
          <button
            type="button"
            key={reason}
            class={isChosen ? 'chip on' : 'chip'}
            aria-pressed={isChosen}
            onClick={() => onChange(withReason(text, isChosen ? undefined : reason))}
          >
            <Given text={reason} most={32} /> <b>{numberText(count)}</b>
          </button>
        );
      })}
      {counts.length > MOST_REASONS ? (
        <button type="button" class="chip" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Fewer' : `+${counts.length - MOST_REASONS}`}
        </button>
      ) : null}
    </fieldset>
  );
}

/** The dead letters of each reason; those of one reason are several causes if their descriptions differ. */
function reasonCounts(
  causes: readonly Cause[],
  { path, tab }: Place,
): readonly (readonly [string, number])[] {
  const subQueue = tab === 'dead' ? 'deadletter' : 'transferDeadLetter';
  const counts = new Map<string, number>();
  for (const cause of causes) {
    if (cause.kind !== 'dead-letters' || cause.path !== path || cause.subQueue !== subQueue) continue;
    if (cause.reason !== undefined) counts.set(cause.reason, (counts.get(cause.reason) ?? 0) + cause.count);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}
