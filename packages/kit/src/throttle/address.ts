export { countedAddress } from '#http/counted_address'
