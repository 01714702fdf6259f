// The head of the timeline: how much is shown, the filter, the zoom, and what can be done with the records.

import { Icon } from '../../parts/icon.js';
import { useTypedFilter } from '../../parts/typed-filter.js';
import { plural, timeText } from '../../state/format.js';
import { go } from '../../state/route.js';
import { saveFile } from '../../state/save-file.js';
import { useStore } from '../../state/use-store.js';
import { TIMELINE_KEYS } from './timeline-filter.js';
import type { TimelineStep } from './timeline-messages.js';
import type { Timeline } from './use-timeline.js';
import type { Zoom } from './use-zoom.js';

/** The time after the last key until the filter is used. */
const PAUSE_MS = 300;

type HeadProps = {
  readonly timeline: Timeline;
  /** The filter as it was typed. */
  readonly text: string;
  readonly zoom: Zoom;
};

export function Head({ timeline, text, zoom }: HeadProps) {
  const { messages, steps } = timeline;
  const { isPaused, notices } = useStore();
  const save = () => {
    exportRecords(steps, text);
    notices.show(`Exported ${plural(steps.length, 'record')} as NDJSON.`);
  };
  return (
    <div class="head tlhead">
      <h1>Timeline</h1>
      <span class="facts el">
        {plural(messages.length, 'message')}, {plural(steps.length, 'step')}
      </span>
      <span class="push" />
      <Field text={text} hasProblem={timeline.filter.problem !== undefined} />
      <fieldset class="seg" aria-label="Zoom">
        <button type="button" data-harmless aria-label="Zoom out" title="Zoom out (-)" onClick={zoom.zoomOut}>
          −
        </button>
        <button
          type="button"
          aria-pressed={zoom.isFitted}
          title="Fit the messages in view (0)"
          onClick={zoom.showAll}
        >
          Fit
        </button>
        <button type="button" data-harmless aria-label="Zoom in" title="Zoom in (+)" onClick={zoom.zoomIn}>
          +
        </button>
      </fieldset>
      <button
        type="button"
        class="tlpause"
        aria-pressed={isPaused.value}
        onClick={() => {
          isPaused.value = !isPaused.value;
        }}
      >
        <Icon name={isPaused.value ? 'play' : 'pause'} />
        {isPaused.value ? 'Go on' : 'Pause'} <kbd>p</kbd>
      </button>
      <button type="button" data-harmless disabled={steps.length === 0} onClick={save}>
        <Icon name="out" />
        Export
      </button>
    </div>
  );
}

function Field({ text, hasProblem }: { readonly text: string; readonly hasProblem: boolean }) {
  const onUse = (next: string) => go({ screen: 'timeline', filter: next });
  const { typed, change, use } = useTypedFilter({ text, onUse, pauseMs: PAUSE_MS });
  return (
    <div class="field tlfield">
      <Icon name="search" />
      <input
        data-filter
        type="text"
        class="m"
        spellcheck={false}
        autocomplete="off"
        list="tl-filters"
        aria-label="Follow a correlation, session or message, or show an entity or client"
        aria-invalid={hasProblem}
        placeholder="correlation: session: message: entity:"
        value={typed}
        onInput={(event) => change(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
          if (event.key !== 'Enter') return;
          use(typed);
          event.currentTarget.blur();
        }}
      />
      <datalist id="tl-filters">
        {TIMELINE_KEYS.map((key) => (
          <option key={key} value={`${key}:`} />
        ))}
      </datalist>
      {typed === '' ? (
        <kbd>/</kbd>
      ) : (
        <button
          type="button"
          class="flat sm"
          data-harmless
          aria-label="Show all messages"
          onClick={() => use('')}
        >
          <Icon name="close" />
        </button>
      )}
    </div>
  );
}

/** Offers the shown records as a file: one JSON object a line, as the control interface has them. */
function exportRecords(steps: readonly TimelineStep[], filter: string): void {
  const lines = steps.map(({ event }) => `${JSON.stringify(event)}\n`);
  const name = filter.replace(/[^\w.-]+/g, '-').slice(0, 60) || 'all';
  const time = timeText(Date.now(), { withMs: false }).replaceAll(':', '');
  saveFile(new Blob(lines, { type: 'application/x-ndjson' }), `timeline-${name}-${time}.ndjson`);
}
