// The rows of the timeline: left which message it is, right its bar, and above them the time axis.

import { useLayoutEffect, useRef } from 'preact/hooks';
import { Cut } from '../../parts/cut.js';
import { Icon } from '../../parts/icon.js';
import { shownText, timeText } from '../../state/format.js';
import { hrefOf } from '../../state/route.js';
import type { TailedRows } from './tailed-rows.js';
import { barsOf, marksOf, movedStretch, type Scale, type Stretch, zoomedStretch } from './time-axis.js';
import { placeOf } from './timeline-filter.js';
import type { TimelineMessage } from './timeline-messages.js';
import {
  barText,
  endWords,
  glyphOf,
  hasGlyph,
  isFailed,
  lifeText,
  rowName,
  spanTitle,
} from './timeline-words.js';

const LEGEND = [
  ['waiting', 'waiting'],
  ['locked', 'locked'],
  ['locked failed', 'failed'],
  ['dead', 'dead'],
] as const;

type LivesProps = {
  readonly messages: readonly TimelineMessage[];
  readonly rows: TailedRows;
  readonly rowPx: number;
  readonly scale: Scale;
  readonly chosen: TimelineMessage | undefined;
  readonly onChoose: (message: TimelineMessage) => void;
  readonly change: (next: (stretch: Stretch) => Stretch) => void;
};

export function Lives({ messages, rows, rowPx, scale, chosen, onChoose, change }: LivesProps) {
  const marks = marksOf(scale.stretch, scale.width);
  const step = (marks[1]?.x ?? scale.width) - (marks[0]?.x ?? 0);
  const wheel = useWheel(change);
  return (
    <>
      <div class="tlaxis">
        <p aria-hidden="true">
          {LEGEND.map(([kind, text]) => (
            <span key={kind}>
              <i class={`bar ${kind}`} /> {text}
            </span>
          ))}
        </p>
        <div style={{ width: `${scale.width}px` }}>
          {marks.map(({ x, text }) => (
            <span key={text} style={{ left: `${x}px` }}>
              {text}
            </span>
          ))}
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without the focus no key scrolls it */}
      <section class="rows tlrows" ref={rows.ref} tabIndex={0} aria-label="Messages by time">
        <div style={{ height: `${rows.first * rowPx}px` }} />
        <table
          aria-label="Messages"
          aria-rowcount={messages.length}
          ref={wheel}
          style={{
            '--step': `${step}px`,
            '--first': `${marks[0]?.x ?? 0}px`,
          }}
        >
          <tbody>
            {messages.slice(rows.first, rows.end).map((message, index) => (
              <LifeRow
                key={rows.keyOf(rows.first + index)}
                message={message}
                index={rows.first + index}
                scale={scale}
                isChosen={message === chosen}
                onChoose={onChoose}
              />
            ))}
          </tbody>
        </table>
        <div style={{ height: `${(messages.length - rows.end) * rowPx}px` }} />
      </section>
      {rows.isAtEnd ? null : (
        <button type="button" class="tlend" data-harmless onClick={rows.followEnd}>
          <Icon name="down" />
          Follow the newest
        </button>
      )}
    </>
  );
}

type LifeRowProps = {
  readonly message: TimelineMessage;
  readonly index: number;
  readonly scale: Scale;
  readonly isChosen: boolean;
  readonly onChoose: (message: TimelineMessage) => void;
};

function LifeRow({ message, index, scale, isChosen, onChoose }: LifeRowProps) {
  const text = lifeText(message, scale.now);
  return (
    <tr
      aria-rowindex={index + 1}
      aria-current={isChosen ? 'true' : undefined}
      onClick={() => onChoose(message)}
    >
      <th scope="row">
        <a href={hrefOf(placeOf(message))} onClick={(event) => event.stopPropagation()}>
          <Cut text={rowName(message)} />
        </a>
        <bdi class="m t3 el" title={shownText(message.messageId ?? '', 400)}>
          {shownText(message.messageId ?? '', 60)}
        </bdi>
      </th>
      <td title={text}>
        <span class="vh">{text}</span>
        <BarsOf message={message} scale={scale} />
      </td>
    </tr>
  );
}

function BarsOf({ message, scale }: { readonly message: TimelineMessage; readonly scale: Scale }) {
  const { bars, endLeft, outside } = barsOf(message, scale);
  const end = endWords(message);
  if (outside !== undefined) {
    return (
      <span class={`outside ${outside}`} aria-hidden="true">
        {outside === 'before' ? '‹ earlier' : 'later ›'}
      </span>
    );
  }
  return (
    <span class="tlbars" aria-hidden="true">
      {bars.map(({ span, left, width }, index) => (
        <span
          key={index}
          class={`bar ${span.state}${isFailed(span) ? ' failed' : ''}`}
          style={{ left: `${left}px`, width: `${width}px` }}
          title={spanTitle(span, scale.now)}
        >
          {hasGlyph(width) ? <Icon name={glyphOf(span)} /> : null}
          {barText(span, width)}
        </span>
      ))}
      {end === undefined ? null : (
        <span
          class={end.isBad === true ? 'end red' : 'end'}
          style={{ left: `${endLeft}px` }}
          title={`${end.text} at ${timeText(message.end?.time ?? 0)}`}
        >
          <Icon name={end.icon} />
          {end.text}
        </span>
      )}
    </span>
  );
}

/** With Ctrl the wheel zooms around the pointer, sideways it moves; else it scrolls the rows. */
function useWheel(change: LivesProps['change']) {
  const element = useRef<HTMLTableElement>(null);
  const act = useRef(change);
  act.current = change;
  useLayoutEffect(() => {
    const table = element.current;
    const turn = (event: WheelEvent) => {
      const plot = table?.querySelector('td')?.getBoundingClientRect();
      if (plot === undefined) return;
      const across = event.deltaX !== 0 ? event.deltaX : event.shiftKey ? event.deltaY : 0;
      if (!event.ctrlKey && across === 0) return;
      event.preventDefault();
      const around = Math.min(1, Math.max(0, (event.clientX - plot.left) / plot.width));
      act.current((stretch) =>
        event.ctrlKey
          ? zoomedStretch(stretch, 1.002 ** event.deltaY, around)
          : movedStretch(stretch, across / plot.width),
      );
    };
    table?.addEventListener('wheel', turn, { passive: false });
    return () => table?.removeEventListener('wheel', turn);
  }, []);
  return element;
}
