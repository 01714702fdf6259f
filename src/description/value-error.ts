// The error for a wrong value from a user. Texts of readers begin with "must", so that a name can be put before them.

/** The location of a part within a value: `[1].Rights[0]`. */
export type Path = readonly (string | number)[];

const ENOUGH_PROBLEMS = 100;

type ValueProblem = {
  /** Empty for the value itself. */
  readonly path: Path;
  readonly text: string;
};

export class ValueError extends Error {
  /** The problems; more than one only if the value has parts. */
  readonly problems: readonly ValueProblem[];

  constructor(given: string | readonly ValueProblem[], cause?: unknown) {
    const problems = typeof given === 'string' ? [{ path: [], text: given }] : given;
    super(problems.map(({ path, text }) => atLocation('', path, text)).join('; '), { cause });
    this.name = 'ValueError';
    this.problems = problems;
  }
}

/** Runs a reader and puts the name of the value before its problems. */
export function named<T>(name: string, read: () => T): T {
  return rewording(read, ({ path, text }) => ({ path: [], text: atLocation(name, path, text) }));
}

/** Runs the reader of a part and adds the part to the path of its problems. */
export function within<T>(step: string | number, read: () => T): T {
  return rewording(read, ({ path, text }) => ({ path: [step, ...path], text }));
}

/** Runs the readers of all parts, and throws their problems as one ValueError. Stops when there are 100. */
export function readAllParts<T>(readers: readonly (() => T)[]): T[] {
  const problems: ValueProblem[] = [];
  const parts: T[] = [];
  for (const read of readers) {
    try {
      parts.push(read());
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      problems.push(...error.problems);
      if (problems.length >= ENOUGH_PROBLEMS) break;
    }
  }
  if (problems.length > 0) throw new ValueError(problems);
  return parts;
}

function rewording<T>(read: () => T, reword: (problem: ValueProblem) => ValueProblem): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ValueError) throw new ValueError(error.problems.map(reword), error);
    throw error;
  }
}

function atLocation(name: string, path: Path, text: string): string {
  const location = `${name}${pathText(path)}`;
  return location === '' ? text : `${location} ${text}`;
}

/** Formats a path: `.Queues[1].Name`. */
export function pathText(path: Path): string {
  return path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
}

/** Shows a value in a message: as JSON, or as JavaScript's text if JSON has none, cut to 60 characters. */
export function shown(value: unknown): string {
  const json = typeof value === 'number' ? String(value) : inJson(value);
  return json.length > 60 ? `${json.slice(0, 57)}...` : json;
}

function inJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // A bigint, an object that contains itself, or an object that is nested too deeply for the stack.
    return typeof value === 'object' ? Object.prototype.toString.call(value) : String(value);
  }
}
