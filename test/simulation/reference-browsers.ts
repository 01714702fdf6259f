// Receivers that only look, in the reference model (PEEK-12).

import type { Command } from '../../src/broker/command.js';
import { MESSAGE_STATE } from '../../src/broker/message/message-properties.js';
import { type ExpectedResult, failed } from './reference-expected.js';
import { entity, handedOut, linkTo, refusalsOfReceiver } from './reference-links.js';
import {
  type ModelLink,
  type ModelMessage,
  type ModelQueue,
  queueOf,
  type Target,
} from './reference-state.js';
import { happened, type ModelTurn } from './reference-turn.js';

export function attachBrowser(
  { linkId }: Extract<Command, { kind: 'attach-browser' }>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  target.queue.activeAt = turn.now;
  const reasons = refusalsOfReceiver(target);
  if (reasons.length > 0) return failed(...reasons);
  turn.state.links.push({ ...linkTo(target), id: linkId, role: 'browser', mode: 'peek-lock' });
  return entity(target, turn);
}

/** Before any receiver takes a message; each in order, and none twice. */
export function showToBrowsers(turn: ModelTurn): void {
  for (const link of turn.state.links) {
    if (link.role === 'browser') show(link, queueOf(link, turn.state), turn);
  }
}

function show(link: ModelLink, queue: ModelQueue, turn: ModelTurn): void {
  const messages = queue.messages.filter((one) => isToBeShown(one, link, turn));
  messages.sort((a, b) => a.number - b.number);
  for (const message of messages.slice(0, link.lookCredit)) {
    const isBehind = [...link.shown].some((number) => number > message.number);
    happened(isBehind ? 'shown to a browser, behind others' : 'shown to a browser', turn);
    link.shown.add(message.number);
    link.lookCredit -= 1;
    link.used += 1;
    queue.activeAt = turn.now;
    queue.accessedAt = turn.now;
    turn.expected.effects.push({ kind: 'deliver', linkId: link.id, ...handedOut(message) });
  }
}

function isToBeShown(message: ModelMessage, { place, shown }: ModelLink, { now }: ModelTurn): boolean {
  const isAvailable = message.state === MESSAGE_STATE.active && message.lock === undefined;
  const isExpired = message.place === 'main' && message.expiresAt <= now;
  return isAvailable && !isExpired && message.place === place && !shown.has(message.number);
}
