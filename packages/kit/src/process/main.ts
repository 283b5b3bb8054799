export { Background } from '#process/background'
export { endOnSignals } from '#process/process_end'
export { collectStartGarbage } from '#process/start_garbage'
