// Why the clock is not set as somebody has asked.

import { LAST_INSTANT } from '../broker/contract/instant.js';
import { formatDuration } from '../description/duration.js';

export class ClockStopped extends Error {
  constructor() {
    super('The emulator is not running any more, so its clock cannot be set.');
    this.name = 'ClockStopped';
  }
}

/** The clock was frozen or reset before an advance had come to its end. */
export class AdvanceEnded extends Error {
  constructor() {
    super('The clock was frozen or reset before the advance had come to its end.');
    this.name = 'AdvanceEnded';
  }
}

/** An advance beyond the last time of the service. */
export class AdvanceTooFar extends RangeError {
  constructor(byMs: number, now: number) {
    const most = formatDuration(Math.max(0, LAST_INSTANT - now));
    const last = new Date(LAST_INSTANT).toISOString();
    super(
      `The time to advance by must be ${most} at most, because ${last} is the last time there is; ${byMs} ms is more.`,
    );
    this.name = 'AdvanceTooFar';
  }
}
