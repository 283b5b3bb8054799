/** A document whose links to files that are gone are words. A row of a table that is about such a file, because it begins with a link to it, goes. */
export const withoutLinks = (text: string, isGone: (target: string) => boolean): string =>
  text
    .replaceAll(/^\| \[[^[\]]*\]\(([^()#]+)[^()]*\) \|.*\n/gm, (row, to) => (isGone(to) ? '' : row))
    .replaceAll(/\[([^[\]]*)\]\(([^()#]+)[^()]*\)/g, (link, words, to) =>
      isGone(to) ? words : link
    )
