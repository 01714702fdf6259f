// The values of properties as expressions of a language, with the AMQP type that they came with as far as its SDK can send it.

export type LiteralLanguage = 'csharp' | 'java' | 'python' | 'go';
export type TypedValue = { readonly type: string; readonly value: unknown };

/** Writes digits, or a text in double quotes. */
type Write = (literal: string) => string;

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

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
    uint: (digits) => `${digits}L`,
    ulong: (digits) => `new BigInteger("${digits}")`,
    float: (digits) => `${digits}F`,
    double: (digits) => `${digits}D`,
  },
  python: {},
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
  },
  java: {
    timestamp: (text) => `Date.from(Instant.parse(${text}))`,
    uuid: (text) => `UUID.fromString(${text})`,
    binary: (text) => `Base64.getDecoder().decode(${text})`,
  },
  python: {
    timestamp: (text) => `datetime.fromisoformat(${text.replace(/Z"$/, '+00:00"')})`,
    uuid: (text) => `uuid.UUID(${text})`,
    binary: (text) => `base64.b64decode(${text})`,
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

/** A list or map, which none of these SDKs sends, and a value that its type does not allow become a text. */
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
