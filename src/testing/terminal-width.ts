// The width of the terminal in which a failure is read.

const DEFAULT_COLUMNS = 80;
/** Test runners indent what they print. */
const INDENTATION = 4;

export function terminalWidth(): number {
  return (process.stdout.columns || DEFAULT_COLUMNS) - INDENTATION;
}
