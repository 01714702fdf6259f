// True and false as clients write them, in any case, or as a digit as XML Schema allows.

/** Undefined when it is neither. */
export function booleanOf(text: string): boolean | undefined {
  if (/^(?:true|1)$/i.test(text)) return true;
  return /^(?:false|0)$/i.test(text) ? false : undefined;
}
