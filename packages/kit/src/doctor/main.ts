export { describeArrival } from '#doctor/arrival'
export { productionWarnings, readSettings } from '#doctor/production'
export { portElsewhere } from '#doctor/settings'
