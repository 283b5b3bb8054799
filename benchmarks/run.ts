/* npm run benchmark -- json_api: runs the benchmark of a name, with the arguments behind it. */

const [name] = process.argv.splice(2, 1)
if (!/^[a-z0-9_]+$/.test(name ?? '')) {
  throw new Error('Name a benchmark: npm run benchmark -- json_api')
}
await import(`./${name}.js`)
