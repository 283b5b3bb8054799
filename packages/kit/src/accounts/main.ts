export { endEverything, endSessions } from '#accounts/ending'
