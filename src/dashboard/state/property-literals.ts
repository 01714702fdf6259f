// The values of properties as expressions of a language, with the AMQP type that they came with as far as its SDK can send it.

export type LiteralLanguage = 'csharp' | 'java' | 'python' | 'go';
export type TypedValue = { readonly type: string; readonly value: unknown };

/** Writes digits, or a text in double quotes. */
type Write = (literal: string) => string;

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

const PROTON = 'org.apache.qpid.proton.amqp';
const LEAST_INT = -(2 ** 31);
const GREATEST_INT = 2 ** 31 - 1;

const NUMBERS: Readonly<Record<LiteralLanguage, Readonly<Record<string, Write>>>> = {
  csharp: {
    byte: (digits) => `(sbyte)${digits}`,
    short: (digits) => `(short)${digits}`,
    long: (digits) => `${digits}L`,
    ubyte: (digits) => `(byte)${digits}`,
    ushort: (digits) => `(ushort)${digits}`,
    uint: (digits) => `${digits}U`,
    ulong: (digits) => `${digits}UL`,
    float: (digits) => `${digits}F`,
    double: (digits) => `${digits}D`,
  },
  java: {
    byte: (digits) => `(byte) ${digits}`,
    short: (digits) => `(short) ${digits}`,
    long: (digits) => `${digits}L`,
    // The SDK refuses a BigInteger. It hands these on to proton-j, which it is made of.
    ubyte: proton('UnsignedByte'),
    ushort: proton('UnsignedShort'),
    uint: proton('UnsignedInteger'),
    ulong: proton('UnsignedLong'),
    float: (digits) => `${digits}F`,
    double: (digits) => `${digits}D`,
  },
  python: {
    uint: wideInPython('UINT'),
    long: wideInPython('LONG'),
    ulong: wideInPython('ULONG'),
    float: floatInPython,
    double: floatInPython,
  },
  go: {
    byte: (digits) => `int8(${digits})`,
    short: (digits) => `int16(${digits})`,
    int: (digits) => `int32(${digits})`,
    long: (digits) => `int64(${digits})`,
    ubyte: (digits) => `uint8(${digits})`,
    ushort: (digits) => `uint16(${digits})`,
    uint: (digits) => `uint32(${digits})`,
    ulong: (digits) => `uint64(${digits})`,
    float: (digits) => `float32(${digits})`,
    double: (digits) => `float64(${digits})`,
  },
};

const TEXTS: Readonly<Record<LiteralLanguage, Readonly<Record<string, Write>>>> = {
  csharp: {
    timestamp: (text) => `DateTime.Parse(${text}).ToUniversalTime()`,
    uuid: (text) => `Guid.Parse(${text})`,
    binary: (text) => `Convert.FromBase64String(${text})`,
    char: character,
  },
  java: {
    timestamp: (text) => `Date.from(Instant.parse(${text}))`,
    uuid: (text) => `UUID.fromString(${text})`,
    // The SDK refuses an array of bytes.
    binary: (text) => `new ${PROTON}.Binary(Base64.getDecoder().decode(${text}))`,
    symbol: (text) => `${PROTON}.Symbol.valueOf(${text})`,
    char: character,
  },
  python: {
    timestamp: (text) => `datetime.fromisoformat(${text.replace(/Z"$/, '+00:00"')})`,
    uuid: (text) => `uuid.UUID(${text})`,
  },
  go: {
    timestamp: (text) => `time.UnixMilli(${Date.parse(JSON.parse(text))}).UTC()`,
  },
};

const WORDS: Readonly<Record<LiteralLanguage, readonly [none: string, yes: string, no: string]>> = {
  csharp: ['null', 'true', 'false'],
  java: ['null', 'true', 'false'],
  python: ['None', 'True', 'False'],
  go: ['nil', 'true', 'false'],
};

/** A value that its type does not allow becomes a text, as does one of a type that the SDK does not have. */
export function propertyLiteral(language: LiteralLanguage, { type, value }: TypedValue): string {
  const [none, yes, no] = WORDS[language];
  if (value === null || value === undefined) return none;
  if (typeof value === 'boolean') return value ? yes : no;
  const isNumber = typeof value === 'number' || Object.hasOwn(NUMBERS.go, type);
  // Integers beyond 2^53 come as texts of digits.
  if (isNumber && NUMBER.test(String(value))) {
    return (NUMBERS[language][type] ?? String)(String(value));
  }
  const text = JSON.stringify(typeof value === 'string' ? value : JSON.stringify(value));
  const isTime = type !== 'timestamp' || !Number.isNaN(Date.parse(String(value)));
  return isTime ? (TEXTS[language][type]?.(text) ?? text) : text;
}

/** A string of Go with each byte as an escape: decoding Base64 there is no expression, as it may fail. */
export function goBytes(base64: string): string {
  const escapes = [...atob(base64)].map((one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `"${escapes.join('')}"`;
}

function proton(type: string): Write {
  return (digits) => `${PROTON}.${type}.valueOf("${digits}")`;
}

/** Python's SDK 7.15 sends every int as an AMQP int, and refuses a greater one unless it comes with its type. */
function wideInPython(type: string): Write {
  return (digits) => {
    const isInt = Number(digits) >= LEAST_INT && Number(digits) <= GREATEST_INT;
    return isInt ? digits : `{"TYPE": "${type}", "VALUE": ${digits}}`;
  };
}

function floatInPython(digits: string): string {
  return /^-?\d+$/.test(digits) ? `float(${digits})` : digits;
}

/** A character of C# or Java. One beyond 16 bits, which neither has, stays a text. */
function character(text: string): string {
  const given: string = JSON.parse(text);
  if (given.length !== 1) return text;
  return /^[ -~]$/.test(given) && given !== "'" && given !== '\\'
    ? `'${given}'`
    : `(char) ${given.charCodeAt(0)}`;
}
