export { newPasskeyValidator, passkeyLoginValidator } from '#passkeys/validators'
