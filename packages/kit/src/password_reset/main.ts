export type { PasswordResetStore } from '#password_reset/store'
