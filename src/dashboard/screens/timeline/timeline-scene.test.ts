import { describe, expect, it } from 'vitest';
import type { PageEvent } from '../../state/page-event.js';
import { parseTimelineFilter } from './timeline-filter.js';
import { TimelineFollowing } from './timeline-following.js';
import { TimelineLetters } from './timeline-letters.js';
import { TimelineRecord } from './timeline-record.js';
import { type Scene, sceneOf } from './timeline-scene.js';

const START = Date.parse('2026-05-01T12:00:00.000Z');
type Given = Omit<PageEvent, 'id' | 'time'> & { readonly at: number };

const by = (connectionId: number) => ({ connectionId, name: `client-${connectionId}` });

function sceneFor(given: readonly Given[], { filter = '', span = 10_000, most = 20_000 } = {}): Scene {
  const record = new TimelineRecord(most);
  const events = given.map(({ at, ...event }, index) => ({
    ...event,
    id: index + 1,
    time: new Date(START + at).toISOString(),
  }));
  record.add(events, START + span, { isLive: false });
  return sceneOf({
    record,
    letters: new TimelineLetters(),
    origin: START,
    width: 1000,
    height: 600,
    following: new TimelineFollowing(parseTimelineFilter(filter), record),
    ...{ window: { from: START, to: START + span }, present: START + span, wasDense: false },
  });
}

/** A message that is sent, locked and completed. */
function life(number: number, at: number, { path = 'orders', correlationId = `c-${number}` } = {}): Given[] {
  const message = { path, sequenceNumber: number };
  return [
    { ...message, kind: 'enqueued', at, client: by(1), messageId: `m-${number}`, correlationId },
    { ...message, kind: 'locked', at: at + 100, client: by(2), deliveryCount: 0 },
    { ...message, kind: 'completed', at: at + 600, client: by(2) },
  ];
}

describe('a scene of the timeline', () => {
  it('has lanes for clients that send, then each entity with its consumers', () => {
    const { rows } = sceneFor([...life(1, 0), ...life(1, 1000, { path: 'emails' })]);
    expect(rows.map(({ kind, path, name }) => `${kind} ${path}${name}`)).toEqual([
      'client client-1',
      'entity orders',
      'consumer ordersclient-2',
      'entity emails',
      'consumer emailsclient-2',
    ]);
  });

  it('draws a token, a line while a message waits, and a box while it is held, in their true places', () => {
    const { drawing } = sceneFor(life(1, 1000));
    expect(drawing.tokens.map(({ x, y }) => [x, y])).toEqual([
      [100, 78],
      [100, 26],
    ]);
    expect(drawing.waits).toMatchObject([{ x1: 100, x2: 110, y: 78 }]);
    expect(drawing.boxes).toMatchObject([{ x: 110, width: 50, y: 130 }]);
    expect(drawing.endings.map(({ mark }) => mark.event.kind)).toEqual(['completed']);
  });

  it('spreads what happens in one turn by 8 pixels', () => {
    const copy = (name: string, at: number) => ({
      ...{
        kind: 'routed',
        path: `events/Subscriptions/${name}`,
        sequenceNumber: 1,
        acceptedNumber: 1,
        rule: 'r',
        at,
      },
    });
    const accepted = {
      kind: 'accepted',
      path: 'events',
      sequenceNumber: 1,
      at: 1000,
      client: by(1),
      messageId: 'm',
    };
    const { drawing } = sceneFor([accepted, copy('a', 1000), copy('b', 1000)]);
    expect(drawing.tokens.filter(({ key }) => key.startsWith('te')).map(({ x }) => x)).toEqual([
      100, 108, 116,
    ]);
    expect(drawing.hops.map(({ kind, x }) => [kind, x])).toEqual([
      ['sent', 100],
      ['routed', 108],
      ['routed', 116],
    ]);
  });

  it('leads a message that a handler sent back to the box in which it was sent', () => {
    const [sent, locked, completed] = life(1, 1000);
    const { rows, drawing } = sceneFor([
      ...(sent === undefined || locked === undefined || completed === undefined
        ? []
        : [sent, locked, { ...sent, path: 'emails', sequenceNumber: 4, at: 1300, client: by(2) }, completed]),
    ]);
    const lane = rows.findIndex(({ key }) => key === 'c:orders:2');
    const hop = drawing.hops.find(({ key }) => key === 'aemails#4');
    expect(hop?.y1).toBe((lane + 0.5) * 52);
    expect(rows.some(({ key }) => key === 's:2')).toBe(false);
  });

  it('gives messages that belong together one letter, and others another', () => {
    const { drawing } = sceneFor([...life(1, 0), ...life(2, 1000), ...life(1, 2000, { path: 'emails' })]);
    const letters = drawing.boxes.map(({ stay, badge }) => `${stay.key} ${badge?.letter}`);
    expect(letters).toEqual(['orders#1 A', 'orders#2 B', 'emails#1 A']);
  });

  it('counts exactly where messages are too many to draw each', () => {
    const given = Array.from({ length: 1000 }, (_, index) => life(index + 1, index * 9)).flat();
    const scene = sceneFor(given.toSorted((a, b) => a.at - b.at));
    expect(scene.drawing.tokens).toEqual([]);
    const lane = scene.rows.findIndex(({ key }) => key === 'e:orders');
    const tokens = scene.counts?.tokens.filter((token) => token.lane === lane) ?? [];
    expect(tokens.reduce((sum, { bucket }) => sum + bucket.in, 0)).toBe(1000);
    expect(scene.counts?.stretchMs).toBe(500);
  });

  it('shows counts where single messages are no longer kept', () => {
    const given = Array.from({ length: 120 }, (_, index) => life(index + 1, index * 70)).flat();
    const scene = sceneFor(
      given.toSorted((a, b) => a.at - b.at),
      { most: 100 },
    );
    expect(scene.counts?.tokens.length).toBeGreaterThan(0);
  });

  it('follows a correlation through its own lanes alone, and lists its steps alone', () => {
    const given = [...life(1, 0), ...life(2, 100), ...life(9, 200, { path: 'other' })];
    const scene = sceneFor(given, { filter: 'correlation:c-2' });
    expect(scene.rows.map(({ key }) => key)).toEqual(['s:1', 'e:orders', 'c:orders:2']);
    expect(scene.marks.map(({ event }) => event.kind)).toEqual(['enqueued', 'locked', 'completed']);
    expect(scene.drawing.boxes.map(({ stay, isHot }) => [stay.key, isHot])).toEqual([
      ['orders#1', false],
      ['orders#2', true],
    ]);
  });

  it('shows the lanes of an entity with its consumers and senders, and nothing for a filter that nothing matches', () => {
    const given = [...life(1, 0), ...life(9, 200, { path: 'other' })];
    expect(sceneFor(given, { filter: 'entity:oth' }).rows.map(({ key }) => key)).toEqual([
      's:1',
      'e:other',
      'c:other:2',
    ]);
    expect(sceneFor(given, { filter: 'correlation:none' }).rows).toEqual([]);
  });

  it('chooses the 40 lanes with the most steps, and says how many are left out', () => {
    const given = Array.from({ length: 100 }, (_, index) =>
      life(1, index * 50, { path: `q${index}` }),
    ).flat();
    const { rows, leftOut } = sceneFor(given.toSorted((a, b) => a.at - b.at));
    expect(rows.length).toBe(40);
    expect(leftOut).toBe(161);
    expect(rows[0]?.key).toBe('s:1');
  });
});
