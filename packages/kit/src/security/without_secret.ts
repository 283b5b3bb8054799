/** An error to log, without a secret that it may contain: what a notifier was given, for example. */
export function withoutSecret(error: unknown, secret: string): Error {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  const clean = new Error(message.replaceAll(secret, '[secret]'))
  clean.name = name
  clean.stack = stack?.replaceAll(secret, '[secret]')
  return clean
}
