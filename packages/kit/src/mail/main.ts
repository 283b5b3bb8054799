export { designToken } from '#mail/design_tokens'
export { LogTransport } from '#mail/log_transport'
export { WordedMail, type Wording, linkTo, ownUrl } from '#mail/worded_mail'
