import { Jsona } from 'jsona'
import * as kitsuCore from 'kitsu-core'

/* The type declarations of kitsu-core are not resolvable from an ES module. */
const { deserialise } = kitsuCore as unknown as { deserialise(document: object): { data: any } }

/** What the client "jsona" makes of a document: related resources are properties. */
export function readWithJsona(document: object): any {
  return new Jsona().deserialize(structuredClone(document))
}

/** What the client "kitsu-core" makes of a document: related resources are under `data` of a property. */
export function readWithKitsu(document: object): any {
  return deserialise(structuredClone(document)).data
}
