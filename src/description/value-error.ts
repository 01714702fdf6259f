// What is wrong with one value a user gave. A reader's text starts with "must", so that a name can be put before it.

/** Where within a value something is: `[1].Rights[0]`. */
export type Path = readonly (string | number)[];

export type ValueProblem = {
  /** Empty: it is the value itself. */
  readonly path: Path;
  readonly text: string;
};

export class ValueError extends Error {
  /** More than one only of what has parts. */
  readonly problems: readonly ValueProblem[];

  constructor(given: string | readonly ValueProblem[], cause?: unknown) {
    const problems = typeof given === 'string' ? [{ path: [], text: given }] : given;
    super(problems.map(({ path, text }) => behind('', path, text)).join('; '), { cause });
    this.name = 'ValueError';
    this.problems = problems;
  }
}

/** Runs a reader and puts the name of what it reads before its complaint. */
export function named<T>(name: string, read: () => T): T {
  return rewording(read, ({ path, text }) => ({ path: [], text: behind(name, path, text) }));
}

/** Runs the reader of a part, so that its complaint says which part it is about. */
export function within<T>(step: string | number, read: () => T): T {
  return rewording(read, ({ path, text }) => ({ path: [step, ...path], text }));
}

/** Runs readers of parts; when some complain, all that they say is thrown as one. */
export function readParts<T>(readers: readonly (() => T)[]): T[] {
  const problems: ValueProblem[] = [];
  const parts = readers.flatMap((read) => {
    try {
      return [read()];
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      problems.push(...error.problems);
      return [];
    }
  });
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

function behind(name: string, path: Path, text: string): string {
  const place = `${name}${pathText(path)}`;
  return place === '' ? text : `${place} ${text}`;
}

/** `.Queues[1].Name` */
export function pathText(path: Path): string {
  return path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
}

/** A value as JSON, or as JavaScript writes what JSON cannot say, cut to what fits into a message. */
export function shown(value: unknown): string {
  const json = typeof value === 'number' ? String(value) : inJson(value);
  return json.length > 60 ? `${json.slice(0, 57)}...` : json;
}

function inJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // A bigint, an object that holds itself, or one that is deeper than the stack.
    return typeof value === 'object' ? Object.prototype.toString.call(value) : String(value);
  }
}
