export type { Addresses } from '#email_verification/types'
