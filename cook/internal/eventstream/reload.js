// Calls functions for artifacts that have changed:
//
//   import { reload } from "/reload.js"
//   const stop = await reload("/events", {
//     "textures/": change => loadTexture(change.path),  // all below the folder
//     "level.json": change => loadLevel(),
//   })
//
// The promise is kept once the server tells what changes: load artifacts after it. A change
// has path, blob (the BLAKE3 of the content, good for cache keys), removed, source, target,
// reason and saved (in milliseconds since 1970). The longest prefix of the path decides. What is
// returned by the functions is waited for, so that they run one batch after the other.
// If the page has missed something, options.compare is called; else the page is loaded again.
export function reload(url, handlers, options = {}) {
  const prefixes = Object.keys(handlers).sort((a, b) => b.length - a.length)
  const compare = options.compare ?? (() => location.reload())
  const source = new EventSource(url)
  let last = Promise.resolve()
  const then = work => { last = last.then(work).catch(error => console.warn("reload:", error)) }

  async function apply({ changes = [], problem }) {
    if (problem) console.warn("reload:", problem)
    const work = changes.map(async change => {
      const prefix = prefixes.find(p => change.path.startsWith(p))
      if (prefix !== undefined) await handlers[prefix](change)
    })
    for (const done of await Promise.allSettled(work)) {
      if (done.status === "rejected") console.warn("reload:", done.reason)
    }
    if (options.applied) await options.applied(changes)
  }

  source.addEventListener("message", event => then(() => apply(JSON.parse(event.data))))
  source.addEventListener("compare", () => then(compare))
  return new Promise(resolve => {
    source.addEventListener("hello", () => resolve(() => source.close()), { once: true })
  })
}
