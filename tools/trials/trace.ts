// Reads what strace wrote of a process: its calls that change files below one folder, in the order in which they began and ended.

export type FileCall = {
  readonly name: string;
  /** As strace prints them, without the texts. */
  readonly words: readonly string[];
  readonly texts: readonly Buffer[];
  /** Undefined if the process ended before the call. */
  readonly result: number | undefined;
};

/** A call that begins or ends, `at` so many microseconds after 1970. */
export type TraceEvent = { readonly at: number; readonly kind: 'begin' | 'end'; readonly call: FileCall };

/** Not every processor has those with a question mark. */
const CALLS = [
  ...['openat', 'close', 'write', 'pwrite64', 'writev', 'pwritev', 'ftruncate', 'fsync', 'fdatasync'],
  ...['renameat', 'unlinkat', 'mkdirat', '?open', '?rename', '?renameat2', '?unlink', '?mkdir', '?rmdir'],
];
const LONGEST_TEXT = 64 * 1024 * 1024;
const LINE = /^(\d+) +(\d+)\.(\d{6}) (?:<\.\.\. \w+ resumed>)?(.*)$/;
const UNFINISHED = ' <unfinished ...>';
const CALL = /^(\w+)\((.*)\) += (-?\d+|\?)/;
const DURATION = /<(\d+\.\d+)>$/;

/** The command that runs a program, under its own process id, and writes its calls to a file. */
export function straceTo(file: string): readonly string[] {
  const format = ['-f', '-y', '-ttt', '-T', '-xx', '-s', String(LONGEST_TEXT)];
  return ['strace', '-D', '--seccomp-bpf', ...format, '-e', `trace=${CALLS.join(',')}`, '-o', file];
}

export function readTrace(text: string, folder: string): readonly TraceEvent[] {
  const below = escaped(folder);
  const begun = new Map<string, { readonly at: number; readonly text: string }>();
  const events: TraceEvent[] = [];
  for (const line of text.split('\n')) {
    const [, thread = '', seconds, micros, rest = ''] = LINE.exec(line) ?? [];
    const at = Number(seconds) * 1e6 + Number(micros);
    if (rest.endsWith(UNFINISHED)) {
      begun.set(thread, { at, text: rest.slice(0, -UNFINISHED.length) });
      continue;
    }
    const earlier = begun.get(thread);
    begun.delete(thread);
    // A killed process leaves calls that are unfinished and have a result.
    const whole = (earlier?.text ?? '') + rest.replace(UNFINISHED, '');
    if (!whole.includes(below)) continue;
    const call = readCall(whole);
    const took = earlier === undefined ? Number(DURATION.exec(whole.slice(-40))?.[1] ?? 0) : 0;
    events.push({ at: earlier?.at ?? at, kind: 'begin', call });
    events.push({ at: Math.round(at + took * 1e6), kind: 'end', call });
  }
  return events.sort((a, b) => a.at - b.at);
}

/** As `-xx` prints every text and every path. */
export function escaped(text: string): string {
  return Buffer.from(text).toString('hex').replaceAll(/../g, '\\x$&');
}

function readCall(line: string): FileCall {
  const parts = line.split('"');
  const texts = parts.filter((_, index) => index % 2 === 1);
  const [, name = '', words = '', result] =
    CALL.exec(parts.filter((_, index) => index % 2 === 0).join('')) ?? [];
  return {
    name,
    words: words.split(', '),
    texts: texts.map((text) => Buffer.from(text.replaceAll('\\x', ''), 'hex')),
    result: result === '?' ? undefined : Number(result),
  };
}
