// Durations in rules: ISO 8601 text, as clients write it, and ticks of 100 ns, which are what .NET's TimeSpan has.

const DURATION =
  /^(-?)P(?=\d|T\d)(?:(\d{1,12})Y)?(?:(\d{1,12})M)?(?:(\d{1,12})D)?(?:T(?=\d)(?:(\d{1,15})H)?(?:(\d{1,15})M)?(?:(\d{1,15})(?:\.(\d+))?S)?)?$/;
const SECOND = 10_000_000n;
const MINUTE = 60n * SECOND;
const HOUR = 60n * MINUTE;
const DAY = 24n * HOUR;
/** Years and months count 365 and 30 days, as .NET's XmlConvert has it. */
const UNITS = [365n * DAY, 30n * DAY, DAY, HOUR, MINUTE, SECOND];
const FRACTION_DIGITS = 7;
const TICK_BITS = 64;

/** Undefined of what is no duration, or of one longer than .NET has. */
export function parseTicks(text: string): bigint | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const [, sign, ...parts] = match;
  const fraction = (parts[UNITS.length] ?? '').padEnd(FRACTION_DIGITS, '0').slice(0, FRACTION_DIGITS);
  const whole = UNITS.reduce((sum, unit, index) => sum + BigInt(parts[index] ?? 0) * unit, BigInt(fraction));
  const ticks = sign === '-' ? -whole : whole;
  return BigInt.asIntN(TICK_BITS, ticks) === ticks ? ticks : undefined;
}

/** In the largest units up to days. */
export function formatTicks(ticks: bigint): string {
  const whole = ticks < 0n ? -ticks : ticks;
  const fraction = String(whole % SECOND)
    .padStart(FRACTION_DIGITS, '0')
    .replace(/0+$/, '');
  const seconds = `${(whole % MINUTE) / SECOND}${fraction === '' ? '' : `.${fraction}`}`;
  const date = whole >= DAY ? `${whole / DAY}D` : '';
  const time = [
    [`${(whole % DAY) / HOUR}`, 'H'],
    [`${(whole % HOUR) / MINUTE}`, 'M'],
    [seconds, 'S'],
  ]
    .filter(([value]) => value !== '0')
    .map((part) => part.join(''))
    .join('');
  if (date === '' && time === '') return 'PT0S';
  return `${ticks < 0n ? '-' : ''}P${date}${time === '' ? '' : `T${time}`}`;
}
