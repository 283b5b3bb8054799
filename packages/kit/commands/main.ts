import { FsLoader } from '@adonisjs/core/ace'
import type { CommandMetaData } from '@adonisjs/core/types/ace'

/* One list for sources and compiled files: whatever stands in this folder. */
const loader = new FsLoader(import.meta.dirname, (path) => !/(^|[/\\])main\b/.test(path))

export const getMetaData = () => loader.getMetaData()

export const getCommand = (command: CommandMetaData) => loader.getCommand(command)
