// The part of rhea's codec that this folder uses; rhea ships no declarations for its lib files.

declare module 'rhea/lib/types.js' {
  export type TypeDescription = {
    readonly name: string;
    readonly typecode: number;
    readonly width: number;
    readonly read?: (buffer: Buffer, offset: number) => unknown;
  };
  export interface Typed {
    readonly type: TypeDescription;
    readonly value: unknown;
    descriptor?: Typed;
    readonly array_constructor?: ArrayConstructor;
  }
  export type ArrayConstructor = { readonly typecode: number; readonly descriptor?: Typed };
  class Reader {
    buffer: Buffer;
    position: number;
    constructor(buffer: Buffer);
    read(): Typed;
    read_fixed_width(type: TypeDescription): unknown;
  }
  class Writer {
    constructor(buffer?: Buffer);
    write(value: Typed): void;
    write_fixed_width(type: TypeDescription, value: unknown): void;
    write_value(type: TypeDescription, value: unknown, elements?: ArrayConstructor): void;
    toBuffer(): Buffer;
  }
  const types: {
    Reader: typeof Reader;
    Writer: typeof Writer;
    by_code: Record<number, { create(value?: unknown, code?: number, descriptor?: Typed): Typed }>;
    described(descriptor: Typed, value: Typed): Typed;
  } & Record<WrapName, (value: never) => Typed>;
  type WrapName =
    | 'wrap_boolean'
    | 'wrap_ubyte'
    | 'wrap_ushort'
    | 'wrap_uint'
    | 'wrap_ulong'
    | 'wrap_byte'
    | 'wrap_short'
    | 'wrap_int'
    | 'wrap_long'
    | 'wrap_float'
    | 'wrap_double'
    | 'wrap_char'
    | 'wrap_timestamp'
    | 'wrap_uuid'
    | 'wrap_binary'
    | 'wrap_string'
    | 'wrap_symbol';
  export default types;
}
