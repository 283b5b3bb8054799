export { resetSecondFactor } from '#two_factor/two_factor'
export { twoFactorLoginValidator } from '#two_factor/validators'
