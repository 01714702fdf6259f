// The head of the timeline: what is followed, the span, and what can be done with it.

import { Icon } from '../../parts/icon.js';
import { Choice } from '../../parts/panel.js';
import { useTypedFilter } from '../../parts/typed-filter.js';
import { numberText, shownText } from '../../state/format.js';
import { isPaused } from '../../state/model.js';
import { go } from '../../state/route.js';
import { attempt, say } from '../../state/said.js';
import { exportRecords } from './export-records.js';
import { following, goLive, heldEnd, showSpan, span } from './live.js';
import { secondsText } from './records.js';
import { SPANS, spanName } from './timeline-axis.js';
import type { Mark } from './timeline-message.js';
import type { Scene } from './timeline-scene.js';
import { journeyText, sumOf } from './timeline-words.js';

/** The time after the last key until the filter is used. */
const PAUSE_MS = 300;

export function Head({ scene, filter }: { readonly scene: Scene | undefined; readonly filter: string }) {
  return (
    <div class="head tlhead">
      <h1>Timeline</h1>
      <Facts scene={scene} />
      <span class="push" />
      <Field filter={filter} />
      <Choice
        label="Span"
        values={SPANS.map((each) => [String(each), spanName(each)])}
        value={String(span.value)}
        onChoose={(value) => showSpan(Number(value))}
      />
      <LiveButton />
      <button
        type="button"
        disabled={(scene?.marks.length ?? 0) === 0}
        onClick={() => save(scene?.marks ?? [], filter)}
      >
        <Icon name="out" />
        Export
      </button>
    </div>
  );
}

function save(marks: readonly Mark[], filter: string): void {
  attempt(async () => say(`Exported ${numberText(await exportRecords(marks, filter))} records as NDJSON.`));
}

/** Back to the present from another time, else a pause. */
function LiveButton() {
  if (heldEnd.value !== undefined && !isPaused.value) {
    return (
      <button type="button" class="tlpause" onClick={goLive}>
        <Icon name="play" />
        Live
      </button>
    );
  }
  return (
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
  );
}

function Facts({ scene }: { readonly scene: Scene | undefined }) {
  if (scene === undefined || scene.rows.length === 0) return null;
  if (!scene.isFollowing) {
    const isDense = scene.counts !== undefined;
    return (
      <span class="facts el">
        <b>{numberText(scene.steps)}</b> steps in <b>{numberText(scene.rows.length)}</b> lanes
        {isDense ? ', counted' : ''}
      </span>
    );
  }
  const { marks } = following.value;
  const journey = journeyText(marks);
  return (
    <span class="facts el">
      <bdi>{journey === '' ? 'under way' : shownText(journey, 80)}</bdi>:{' '}
      <b>{secondsText(sumOf(marks).ms)}</b>
    </span>
  );
}

function Field({ filter }: { readonly filter: string }) {
  const onUse = (text: string) => go({ screen: 'timeline', filter: text });
  const { typed, change, use } = useTypedFilter({ text: filter, onUse, pauseMs: PAUSE_MS });
  const { problem } = following.value.filter;
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
        aria-invalid={problem !== undefined}
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
        {['correlation:', 'session:', 'message:', 'entity:', 'client:'].map((key) => (
          <option key={key} value={key} />
        ))}
      </datalist>
      {typed === '' ? (
        <kbd>/</kbd>
      ) : (
        <button type="button" class="flat sm" aria-label="Follow nothing" onClick={() => use('')}>
          <Icon name="close" />
        </button>
      )}
    </div>
  );
}
