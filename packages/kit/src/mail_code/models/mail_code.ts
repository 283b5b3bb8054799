import { MailCodeSchema } from '#database/schema'

/** A code that was sent by mail. */
export default class MailCode extends MailCodeSchema {}
