// Notes on the view: that it stands still, that tokens stand for many, where the record begins, or why there is nothing.

import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from '../../parts/icon.js';
import { Empty } from '../../parts/panel.js';
import { durationText, numberText, shownText, timeText } from '../../state/format.js';
import { clock, eventCount, isPaused, now } from '../../state/model.js';
import { go, hrefOf } from '../../state/route.js';
import { following, newCount, pausedAt, record, showLast, span } from './live.js';
import { spanName } from './timeline-axis.js';
import { reachText } from './timeline-labels.js';
import type { Scene } from './timeline-scene.js';

export function Strips({ scene }: { readonly scene: Scene | undefined }) {
  const mode = clock.value?.mode ?? 'real';
  return (
    <>
      {isPaused.value ? (
        <Strip icon="pause">
          <span>
            Paused at {timeText(pausedAt.value ?? Date.now(), { withMs: false })}.{' '}
            <b>{numberText(newCount.value)} new</b> since.
          </span>
          <span class="push" />
          <button
            type="button"
            class="sm"
            onClick={() => {
              isPaused.value = false;
            }}
          >
            Go on <kbd>p</kbd>
          </button>
        </Strip>
      ) : null}
      {scene?.counts === undefined ? null : <TooFast scene={scene} counts={scene.counts} />}
      {mode === 'real' ? null : (
        <Strip icon="scheduled">
          The broker's clock is {mode === 'frozen' ? 'frozen' : 'set'}: the lanes go by the time of this
          machine.
        </Strip>
      )}
      {scene === undefined ? null : <Reach scene={scene} />}
    </>
  );
}

function Strip({ icon, children }: { readonly icon: IconName; readonly children: ComponentChildren }) {
  return (
    <div class="strip tlstrip" role="status">
      <Icon name={icon} />
      {children}
    </div>
  );
}

function TooFast({
  scene,
  counts,
}: {
  readonly scene: Scene;
  readonly counts: NonNullable<Scene['counts']>;
}) {
  const spanText = spanName(Math.round(scene.window.to - scene.window.from));
  return (
    <Strip icon="info">
      <span>
        {numberText(scene.steps)} steps in {spanText}: a token stands for {durationText(counts.stretchMs)}, up
        to {numberText(counts.most)} messages. Counts stay exact.
      </span>
    </Strip>
  );
}

/** Says where the record begins, if that is in view. */
function Reach({ scene: { window, isFollowing } }: { readonly scene: Scene }) {
  const oldest = record.steps.oldest;
  if (!record.isCut || oldest === undefined) return null;
  const first = isFollowing ? following.value.marks[0] : undefined;
  const isFirstCut = first?.stay !== undefined && first.stay.arrival === undefined;
  if (oldest < window.from && !isFirstCut) return null;
  return (
    <Strip icon="scheduled">
      Earlier steps are gone: the record is here since{' '}
      {reachText(isFirstCut ? (first?.at ?? oldest) : oldest)}.
    </Strip>
  );
}

/** Why there are no lanes, and what would fill them. */
export function Nothing({ filter }: { readonly filter: string }) {
  const last = record.marks.at(-1);
  const { problem, key } = following.value.filter;
  const drop = (
    <button type="button" onClick={() => go({ screen: 'timeline', filter: '' })}>
      Follow nothing
    </button>
  );
  if (problem !== undefined) return <Empty title={shownText(problem, 200)}>{drop}</Empty>;
  if (last === undefined) {
    return (
      <Empty title={eventCount.value === 0 ? 'Nothing has happened yet.' : 'No message has moved yet.'}>
        A lane appears for each entity and client as soon as a message is sent or received.{' '}
        <a class="acc" href={hrefOf({ screen: 'connect' })}>
          Connect a client
        </a>
        .
      </Empty>
    );
  }
  if (filter !== '' && following.value.marks.length === 0) {
    const reach = record.marks[0]?.at ?? last.at;
    return (
      <Empty title={`0 of ${numberText(record.marks.length)} steps match.`}>
        Nothing with{' '}
        <code>
          <bdi>{shownText(filter, 100)}</bdi>
        </code>{' '}
        {key === 'entity' || key === 'client' ? 'in this span' : `since ${reachText(reach)}`}. It appears as
        soon as it comes. {drop}
      </Empty>
    );
  }
  return (
    <Empty title={`Nothing in these ${spanName(span.value)}.`}>
      The last step was at {timeText(last.at, { withMs: false })}, {durationText(now.value - last.at)} before
      now.{' '}
      <button type="button" onClick={showLast}>
        Show it
      </button>
    </Empty>
  );
}
