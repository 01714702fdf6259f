// The list of the steps in view, with their true times: all that the lanes show, for those who do not see them.

import { Icon } from '../../parts/icon.js';
import { Panel } from '../../parts/panel.js';
import { useVirtualRows } from '../../parts/virtual-rows.js';
import { durationText, numberText, shownText, timeText } from '../../state/format.js';
import { hrefOf } from '../../state/route.js';
import { stepOf } from '../message/history-steps.js';
import { following } from './live.js';
import { pointAt, pointed } from './pointer.js';
import { placeOf } from './timeline-labels.js';
import type { Badge } from './timeline-letters.js';
import { groupOf, type Mark } from './timeline-message.js';
import type { Scene } from './timeline-scene.js';
import { sumOf, wordsOf } from './timeline-words.js';

const ROW_PX = 28;
/** Above this, summing up each step would cost more than it says. */
const MOST_SUMMED = 2000;

type RecordsProps = { readonly scene: Scene; readonly cursor: number | undefined };

/** Followed steps stand in their order with the time since the first, others with the newest first. */
export function Records({ scene: { marks, badges, isFollowing }, cursor }: RecordsProps) {
  const rows = useVirtualRows(marks.length, ROW_PX);
  const shown = Array.from({ length: Math.max(0, rows.end - rows.first) }, (_, row) => {
    const index = rows.first + row;
    return marks[isFollowing ? index : marks.length - 1 - index];
  });
  const start = following.value.marks[0]?.at ?? 0;
  const { key, value } = following.value.filter;
  return (
    <Panel
      title={
        isFollowing ? shownText(value, 40) : key === 'none' ? 'Steps' : `Steps of ${shownText(value, 24)}`
      }
      sub={sumText(marks, isFollowing)}
    >
      <div class="rows tlrows" ref={rows.ref}>
        <ol
          class="hist sm"
          aria-label="Steps"
          style={{ paddingTop: `${rows.above + 6}px`, paddingBottom: `${rows.below + 6}px` }}
        >
          {shown.map((mark) =>
            mark === undefined ? null : (
              <Row
                key={mark.id}
                mark={mark}
                badge={mark.stay && badges.size > 1 ? badges.get(groupOf(mark.stay) ?? '') : undefined}
                when={isFollowing ? sinceText(mark.at - start) : timeText(mark.at).slice(3)}
                isAt={mark.id === cursor}
              />
            ),
          )}
        </ol>
      </div>
    </Panel>
  );
}

function sinceText(ms: number): string {
  return ms < 100_000 ? (ms / 1000).toFixed(ms < 10_000 ? 3 : 2) : durationText(ms);
}

function sumText(marks: readonly Mark[], isFollowing: boolean): string {
  if (marks.length > MOST_SUMMED) return `${numberText(marks.length)} in view, newest first`;
  const { messages, steps, ms } = sumOf(marks);
  if (!isFollowing) return `${numberText(steps)} in view, newest first`;
  return `${counted(messages, 'message')}, ${counted(steps, 'step')}, ${secondsText(ms)}`;
}

function counted(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `1.58 s` */
export function secondsText(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(ms < 100 ? 3 : 2)} s` : durationText(ms);
}

type RowProps = {
  readonly mark: Mark;
  readonly badge: Badge | undefined;
  readonly when: string;
  readonly isAt: boolean;
};

function Row({ mark, badge, when, isAt }: RowProps) {
  const { event, stay } = mark;
  const { before, verb, after, isBad } = wordsOf(event);
  const isOn = stay !== undefined && pointed.value?.stay === stay;
  const title =
    stay === undefined
      ? ''
      : [stay.messageId, stay.correlationId, stay.sessionId].filter(Boolean).join(' · ');
  const text = (
    <>
      {badge === undefined ? null : <span class={`badge hue-${badge.hue}`}>{badge.letter}</span>}
      {before === '' ? null : (
        <>
          <bdi>{shownText(before, 40)}</bdi>{' '}
        </>
      )}
      <b>{verb}</b> <bdi>{shownText(after, 80)}</bdi>
    </>
  );
  return (
    <li
      class={`${isBad ? 'bad' : ''}${isOn ? ' on' : ''}${isAt ? ' cur' : ''}`}
      aria-current={isAt ? 'true' : undefined}
      onPointerEnter={() => pointAt({ stay, tip: undefined, x: 0, y: 0, isAbove: false })}
      onPointerLeave={() => pointAt(undefined)}
    >
      <Icon name={stepOf(event).icon} />
      {stay === undefined ? (
        <span class="el">{text}</span>
      ) : (
        <a class="el" href={hrefOf(placeOf(stay))} title={shownText(title, 200)}>
          {text}
        </a>
      )}
      <span class="when" title={timeText(mark.at)}>
        {when}
      </span>
    </li>
  );
}
