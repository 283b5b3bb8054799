import KitPasswordResetToken from 'adonis-auth-kit/password_reset/models/password_reset_token'

/** A token of a mail that lets somebody choose a new password. Columns and hooks of your own belong here. */
export default class PasswordResetToken extends KitPasswordResetToken {}
