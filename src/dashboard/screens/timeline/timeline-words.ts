// The words of a row: what a bar says, how a life ended, and the whole of it in one sentence.

import type { IconName } from '../../parts/icon.js';
import { durationText, numberText, shownText, spokenPath, timeText } from '../../state/format.js';
import type { Span, SpanState, TimelineMessage } from './timeline-messages.js';

/** The width of a character at 11 pixels, at most, and of the glyph before it. */
const CHARACTER_PX = 6.4;
const GLYPH_PX = 24;

const GLYPHS: Readonly<Record<SpanState, IconName>> = {
  scheduled: 'scheduled',
  waiting: 'active',
  locked: 'locked',
  deferred: 'deferred',
  dead: 'dead',
};

const OUTCOMES: Readonly<Record<string, string>> = {
  abandoned: 'abandoned',
  'lock-expired': 'lock expired',
  released: 'released',
  deferred: 'deferred',
};

type EndWords = { readonly icon: IconName; readonly text: string; readonly isBad?: boolean };
const ENDS: Readonly<Record<string, EndWords>> = {
  completed: { icon: 'check', text: 'completed' },
  consumed: { icon: 'check', text: 'received and deleted' },
  expired: { icon: 'scheduled', text: 'expired', isBad: true },
  unmatched: { icon: 'rule', text: 'matched no rule', isBad: true },
  cancelled: { icon: 'close', text: 'cancelled' },
  deleted: { icon: 'close', text: 'deleted' },
  purged: { icon: 'close', text: 'purged' },
  routed: { icon: 'rule', text: 'routed' },
  'entity-deleted': { icon: 'close', text: 'entity deleted' },
};

/** `locked by worker, abandoned`: what a span is, in full. */
export function spanText({ state, holder, outcome = '', reason }: Span): string {
  if (state === 'dead')
    return reason === undefined ? 'dead-lettered' : `dead-lettered: ${shownText(reason, 80)}`;
  if (state !== 'locked') return state;
  const ended = OUTCOMES[outcome];
  return `locked by ${shownText(holder ?? 'a receiver', 40)}${ended === undefined ? '' : `, ${ended}`}`;
}

/** Whether the delivery failed. */
export function isFailed({ outcome }: Span): boolean {
  return outcome === 'abandoned' || outcome === 'lock-expired';
}

export function glyphOf(span: Span): IconName {
  if (isFailed(span)) return span.outcome === 'abandoned' ? 'undo' : 'warning';
  return GLYPHS[span.state];
}

/** As much of it as a bar of this width has room for; empty for none. */
export function barText(span: Span, width: number): string {
  const { state, outcome = '' } = span;
  const short = isFailed(span) ? (OUTCOMES[outcome] ?? outcome) : state === 'dead' ? 'dead-lettered' : state;
  const texts = [spanText(span), ...(isFailed(span) ? [`locked, ${short}`] : []), short];
  return texts.find((text) => text.length * CHARACTER_PX + GLYPH_PX <= width) ?? '';
}

export function hasGlyph(width: number): boolean {
  return width >= GLYPH_PX - 4;
}

/** `Locked by worker for 40 ms, from 09:50:12.300` */
export function spanTitle(span: Span, now: number): string {
  const text = spanText(span);
  const ms = (span.to ?? Math.max(now, span.from)) - span.from;
  const going = span.to === undefined ? ' until now' : '';
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)} for ${msText(ms)}${going}, from ${timeText(span.from)}`;
}

/** How the life in the entity ended; undefined while it goes on. */
export function endWords({ end }: TimelineMessage): EndWords | undefined {
  if (end === undefined) return undefined;
  if (end.destination !== undefined) {
    return { icon: 'forward', text: `${end.kind} to ${shownText(spokenPath(end.destination), 60)}` };
  }
  return ENDS[end.kind] ?? { icon: 'end', text: end.kind };
}

/** `orders #12`: which message it is. */
export function rowName({ path, sequenceNumber }: TimelineMessage): string {
  return `${spokenPath(path)} #${numberText(sequenceNumber)}`;
}

/** `waiting 2 ms, locked by worker 40 ms, completed`: a row for those who do not see its bars. */
export function lifeText(message: TimelineMessage, now: number): string {
  const spans = message.spans.map((span) => {
    const ms = (span.to ?? Math.max(now, span.from)) - span.from;
    return `${spanText(span)} ${msText(ms)}${span.to === undefined ? ' until now' : ''}`;
  });
  const end = endWords(message);
  return [...spans, ...(end === undefined ? [] : [end.text])].join(', ');
}

/** `2 ms`, `1.5 s`, `1 min 12 s` */
export function msText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : durationText(ms);
}
