export { configure } from './configure.js'
export { stubsRoot } from '#stubs/main'
