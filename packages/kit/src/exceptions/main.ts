export { HttpExceptionHandler } from '#exceptions/handler'
