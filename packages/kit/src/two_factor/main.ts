export { resetSecondFactor } from '#two_factor/account_two_factor'
export { twoFactorLoginValidator } from '#two_factor/validators'
