// Ticks of .NET as text, and back: a tick is 100 ns, a TimeSpan is a number of them, and a DateTimeOffset counts them from the year 1 on.

const TICKS_PER_SECOND = 10_000_000n;
const TICKS_PER_MS = 10_000n;
const DECIMALS = 7;
/** 1970 in ticks from the year 1 on. */
const UNIX_EPOCH = 621_355_968_000_000_000n;
const SPAN = /^(-?)P(?=\d|T\d)(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,7}))?S)?)?$/;
const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,7}))?Z$/;

/** A time span in ISO 8601, such as `PT1M0.5S`. */
export function spanText(ticks: bigint): string {
  const sign = ticks < 0n ? '-' : '';
  const positive = ticks < 0n ? -ticks : ticks;
  const seconds = positive / TICKS_PER_SECOND;
  const parts = [
    [seconds / 86_400n, 'D'],
    [(seconds / 3600n) % 24n, 'H'],
    [(seconds / 60n) % 60n, 'M'],
  ] as const;
  const [days = '', ...clock] = parts.map(([value, unit]) => (value === 0n ? '' : `${value}${unit}`));
  const rest = `${seconds % 60n}${decimalsOf(positive)}`;
  const time = `${clock.join('')}${rest === '0' ? '' : `${rest}S`}`;
  if (days + time === '') return 'PT0S';
  return `${sign}P${days}${time === '' ? '' : `T${time}`}`;
}

/** The ticks of a time span in ISO 8601; undefined for any other text. */
export function readSpan(text: string): bigint | undefined {
  const match = SPAN.exec(text);
  if (match === null) return undefined;
  const [, sign, ...digits] = match;
  const [days = 0n, hours = 0n, minutes = 0n, seconds = 0n] = digits
    .slice(0, 4)
    .map((each = '0') => BigInt(each));
  const whole = ((days * 24n + hours) * 60n + minutes) * 60n + seconds;
  const ticks = whole * TICKS_PER_SECOND + BigInt((digits[4] ?? '').padEnd(DECIMALS, '0'));
  return sign === '-' ? -ticks : ticks;
}

/** A time in ISO 8601 with as many decimals as it needs; undefined for one that no date can hold. */
export function offsetText(ticks: bigint): string | undefined {
  const date = new Date(Number((ticks - UNIX_EPOCH) / TICKS_PER_MS));
  if (ticks < 0n || Number.isNaN(date.getTime())) return undefined;
  const seconds = (ticks - UNIX_EPOCH - (ticks % TICKS_PER_SECOND)) / TICKS_PER_SECOND;
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, -5)}${decimalsOf(ticks)}Z`;
}

/** The ticks of a time in ISO 8601, in UTC; undefined for any other text. */
export function readOffset(text: string): bigint | undefined {
  const [, whole, decimals = ''] = TIME.exec(text) ?? [];
  const ms = whole === undefined ? Number.NaN : Date.parse(`${whole}Z`);
  if (Number.isNaN(ms)) return undefined;
  return BigInt(ms) * TICKS_PER_MS + UNIX_EPOCH + BigInt(decimals.padEnd(DECIMALS, '0'));
}

function decimalsOf(ticks: bigint): string {
  const decimals = String(ticks % TICKS_PER_SECOND).padStart(DECIMALS, '0');
  const given = decimals.replace(/0{1,7}$/, '');
  return given === '' ? '' : `.${given}`;
}
