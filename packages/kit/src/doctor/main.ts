export { describeArrival } from '#doctor/network'
export { portElsewhere, productionWarnings, readSettings } from '#doctor/settings'
