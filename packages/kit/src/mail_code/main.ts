export type { MailCodeStore } from '#mail_code/store'
