export { passkeyLoginValidator } from '#passkeys/validators'
