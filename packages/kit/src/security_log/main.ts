export type { SecurityLogRecord, SecurityLogStore } from '#security_log/security_log'
