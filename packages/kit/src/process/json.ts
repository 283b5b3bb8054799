/** The type of a value after JSON.stringify and JSON.parse. */
export type Json<Value = unknown> = Value extends string | number | boolean | null | undefined
  ? Value
  : Value extends bigint
    ? string
    : Value extends { toJSON(): infer Result }
      ? Json<Result>
      : Value extends (...args: never[]) => unknown
        ? never
        : Value extends object
          ? { -readonly [Key in keyof Value]: Json<Value[Key]> }
          : unknown
