// The filter of a list: its field, how many match, the reasons of dead letters as chips, and the messages that wait.

import { Icon } from '../../parts/icon.js';
import { useTypedFilter } from '../../parts/typed-filter.js';
import { numberText, shownText } from '../../state/format.js';
import { parseFilter, reasonOf, withReason } from '../../state/message-filter.js';

/** The time after the last key until the filter is used. */
const PAUSE_MS = 250;
const MOST_REASONS = 4;

type FilterProps = {
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** `13 of 23`. */
  readonly counted: string;
  readonly reasons: ReadonlyMap<string, number> | undefined;
  readonly waiting: number;
  readonly onShowWaiting: () => void;
};

export function FilterBar({ text, onChange, counted, reasons, waiting, onShowWaiting }: FilterProps) {
  const { problem } = parseFilter(text);
  return (
    <>
      <div class="row filters">
        <Field text={text} onChange={onChange} counted={counted} isBad={problem !== undefined} />
        {reasons === undefined || reasons.size === 0 ? null : (
          <Reasons text={text} reasons={reasons} onChange={onChange} />
        )}
        {waiting === 0 ? null : (
          <button type="button" onClick={onShowWaiting}>
            <Icon name="accepted" />
            {numberText(waiting)} new
          </button>
        )}
      </div>
      {problem === undefined ? null : (
        <p class="red filterproblem" id="filter-problem" role="alert">
          <Icon name="warning" /> {shownText(problem)}
        </p>
      )}
    </>
  );
}

type FieldProps = Pick<FilterProps, 'text' | 'onChange' | 'counted'> & { readonly isBad: boolean };

function Field({ text, onChange, counted, isBad }: FieldProps) {
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
        aria-invalid={isBad}
        aria-describedby={isBad ? 'filter-problem' : undefined}
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

function Reasons({
  text,
  reasons,
  onChange,
}: Pick<FilterProps, 'text' | 'onChange'> & { readonly reasons: ReadonlyMap<string, number> }) {
  const chosen = reasonOf(text);
  const ordered = [...reasons].sort(([, a], [, b]) => b - a);
  const shown = ordered.slice(0, MOST_REASONS);
  const total = ordered.reduce((sum, [, count]) => sum + count, 0);
  return (
    <fieldset class="chips" aria-label="Reasons, of the messages that are read">
      <button
        type="button"
        class={chosen === undefined ? 'chip on' : 'chip'}
        aria-pressed={chosen === undefined}
        onClick={() => onChange(withReason(text, undefined))}
      >
        All reasons <b>{numberText(total)}</b>
      </button>
      {shown.map(([reason, count]) => (
        <button
          type="button"
          key={reason}
          class={chosen === reason ? 'chip on' : 'chip'}
          aria-pressed={chosen === reason}
          onClick={() => onChange(withReason(text, chosen === reason ? undefined : reason))}
        >
          <bdi>{shownText(reason, 32)}</bdi> <b>{numberText(count)}</b>
        </button>
      ))}
      {ordered.length > shown.length ? (
        <span class="t3">and {ordered.length - shown.length} more</span>
      ) : null}
    </fieldset>
  );
}
