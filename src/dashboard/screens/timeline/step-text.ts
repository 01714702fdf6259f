// The sentence of a step.

import type { PageEvent } from '../../state/page-event.js';
import { stepOf } from '../message/history-steps.js';

/** `Locked delivery 1, lock 1a2b3c4d…`: what happened, without the client's name. */
export function stepText(event: PageEvent): string {
  const { title, text } = stepOf(event);
  return text === '' ? title : `${title} ${text}`;
}
