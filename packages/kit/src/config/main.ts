export { endMadeFilesInNewline } from '#config/made_files'
