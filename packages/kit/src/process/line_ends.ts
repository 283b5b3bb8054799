/** How a text is compared and edited: Git for Windows may end its lines in "\r\n". */
export const withNewlines = (text: string): string => text.replaceAll('\r\n', '\n')

/** An edited text, whose lines end as they did before. The edit sees "\n". */
export function keepingLineEnds(text: string, edit: (text: string) => string): string {
  const before = withNewlines(text)
  const after = edit(before)
  if (after === before) {
    return text
  }
  return before === text ? after : after.replaceAll('\n', '\r\n')
}
