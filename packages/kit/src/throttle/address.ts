export { countedAddress } from '#support/counted_address'
