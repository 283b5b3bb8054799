import type { PasswordResetNotifier } from '#kit/auth/define_config'
import { configure } from '#starter/helpers/passwords'

/** Keeps reset tokens instead of mailing them, until the test ends. */
export async function interceptTokens(notifier?: PasswordResetNotifier) {
  const delivered: { email: string; token: string }[] = []
  await configure({
    passwordResetNotifier: async (email, token) => {
      delivered.push({ email, token })
      await notifier?.(email, token)
    },
  })
  return delivered
}
