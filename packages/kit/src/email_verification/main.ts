export type { Addresses } from '#email_verification/define_config'
