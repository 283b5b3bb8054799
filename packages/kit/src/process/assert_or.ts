/** For rules that each have an error of their own. @throws an error of the class, made of the parameters, unless the condition holds */
export function assertOr<Parameters extends unknown[]>(
  isRight: unknown,
  Refusal: new (...parameters: Parameters) => Error,
  ...parameters: Parameters
): asserts isRight {
  if (!isRight) {
    throw new Refusal(...parameters)
  }
}
