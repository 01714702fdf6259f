// The error of a clock whose emulator is stopped or has failed.

export class ClockStopped extends Error {
  constructor() {
    super('The emulator is not running any more, so its clock cannot be set.');
    this.name = 'ClockStopped';
  }
}
