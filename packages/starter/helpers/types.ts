type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/**
 * Says that two types are the same: `isSame<typeof user, User | null>()` fails
 * "npm run typecheck" when they are not. It does nothing when it runs.
 */
export function isSame<A, B>(..._proof: Same<A, B> extends true ? [] : ['the types differ']) {}
