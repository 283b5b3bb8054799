/** For the `catch` of a promise: null in place of an error of this class. Every other one is thrown on. */
export function nullFor(refusal: abstract new (...parameters: any[]) => Error) {
  return (error: unknown): null => {
    if (error instanceof refusal) {
      return null
    }
    throw error
  }
}
