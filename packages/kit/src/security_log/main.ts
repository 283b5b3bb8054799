export type { SecurityLogRecord, SecurityLogStore } from '#security_log/store'
