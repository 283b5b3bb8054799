/** The folder of the kit's stubs. */
export const stubsRoot = import.meta.dirname
