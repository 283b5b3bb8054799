export { Background } from '#process/background'
export { explain } from '#process/explain'
export { endOnSignals } from '#process/process_end'
export { collectStartGarbage } from '#process/start_garbage'
