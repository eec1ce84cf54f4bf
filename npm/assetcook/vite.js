// The plugin for Vite. The dev server cooks with "cook -watch" and serves the output directory; a
// build cooks once and adds the output to its files.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { readAssets } from './index.js'
import { programPath } from './run.js'

const prefix = 'cooked/' // path of the output directory in URLs
const event = 'assetcook:change'
const virtual = 'virtual:assetcook'
const recordVersion = 1 // version of the records of "cook -json"

export default function assetcook(options = {}) {
	const { dir, out = 'cooked', target, flags = [], program } = options
	let config // of Vite
	let build // result of collect
	let watched // by the dev server
	const project = () => ({
		root: config.root, out: path.resolve(config.root, out), program: program ?? defaultProgram(),
		args: ['-json', ...['-dir', dir, '-out', out, '-target', target].filter((_, i, all) => all[i | 1] !== undefined), ...flags],
	})
	return {
		name: 'assetcook',
		config(user) {
			const root = path.resolve(user.root ?? '.')
			return {
				server: { watch: { ignored: [path.resolve(root, out).replaceAll('\\', '/') + '/**'] } },
				optimizeDeps: { include: glueModules(root) },
			}
		},
		configResolved(resolved) {
			config = resolved
		},
		async configureServer(server) {
			if (process.env.VITEST) return
			watched = await watch(project(), server)
			server.middlewares.use(config.base + prefix.slice(0, -1), (request, response) => watched.serve(request, response))
		},
		async buildStart() {
			if (config.command !== 'build') return
			const p = project()
			const { problems, warnings } = await cookOnce(p)
			for (const w of warnings) this.warn(messageOf(w))
			if (problems.length > 0) this.error(overlayError(problems, p.root))
			build = await collect(p.out, target)
		},
		resolveId(id) {
			if (id === virtual) return '\0' + virtual
		},
		load(id) {
			if (id === '\0' + virtual) return virtualModule(build?.manifestName ?? 'manifest.json', target)
		},
		generateBundle() {
			if (config.build.ssr) return
			for (const { fileName, source } of build.files) this.emitFile({ type: 'asset', fileName: prefix + fileName, source })
		},
		async closeBundle() {
			await watched?.stop()
		},
	}
}

// glueModules returns the modules of this package that a project can use, which Vite bundles for
// the dev server together with the engine.
function glueModules(root) {
	const { resolve } = createRequire(path.join(root, 'package.json'))
	const has = name => {
		try {
			return Boolean(resolve(name))
		} catch {
			return false
		}
	}
	return ['assetcook', ...(has('three') ? ['assetcook/three'] : []), ...(has('pixi.js') ? ['assetcook/pixi'] : [])]
}

function virtualModule(manifestName, target) {
	return `import { openManifest } from 'assetcook'
let opened
const options = ${JSON.stringify({ target })}
export const openAssets = () => opened ??= openManifest(new URL(import.meta.env.BASE_URL + ${JSON.stringify(prefix + manifestName)}, document.baseURI), options)
export function onChange(changed) {
	if (!import.meta.hot) return () => {}
	const listen = async ({ changes }) => (await openAssets()).update(changes, changed)
	import.meta.hot.on('${event}', listen)
	return () => import.meta.hot.off('${event}', listen)
}`
}

// defaultProgram returns the cook of the npm package for this platform, else the cook on PATH.
function defaultProgram() {
	try {
		return programPath('cook')
	} catch (error) {
		const file = process.platform === 'win32' ? 'cook.exe' : 'cook'
		// npm puts scripts of packages on PATH, and the script cook runs the missing program.
		const directories = process.env.PATH.split(path.delimiter).filter(d => path.basename(d) !== '.bin')
		const found = directories.map(d => path.join(d, file)).find(existsSync)
		if (!found) throw new Error(`${error.message}, and put it on PATH`)
		return found
	}
}

// startCook starts cook and passes each record on. ended is fulfilled when cook has ended, with an
// error if that was no success.
function startCook({ program, root, args }, record) {
	const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
	let wrong // error of the program itself
	let begun = false
	let said = '' // end of standard error
	child.stderr.setEncoding('utf8').on('data', text => { said = (said + text).slice(-4096) })
	const lines = createInterface({ input: child.stdout })
	lines.on('line', line => {
		let r
		try {
			r = JSON.parse(line)
		} catch {
			return // a signal has cut off the line, or another program has written it
		}
		if (typeof r?.event !== 'string') return
		if (!begun && r.event === 'begin' && r.version !== recordVersion) {
			wrong = new Error(`${program} writes version ${r.version} of its records, and this version of assetcook reads ${recordVersion}; install the same version of both`)
			child.kill()
		}
		begun ||= r.event === 'begin'
		if (!wrong) record(r)
	})
	const ended = new Promise(resolve => {
		child.on('error', error => resolve(new Error(`${program}: ${error.message}`)))
		child.on('close', code => {
			if (wrong) resolve(wrong)
			else if (!begun) resolve(new Error(said.trim() || `${program} is not the cook of assetcook`))
			else resolve(code === 0 ? undefined : new Error(said.trim() || `${program} ended with status ${code}`))
		})
	})
	return { child, ended }
}

// cookOnce cooks and returns the records of failures and of warnings.
async function cookOnce(project) {
	const problems = [], warnings = []
	const { ended } = startCook(project, r => {
		if (r.event === 'failed' || r.event === 'error') problems.push(r)
		if (r.event === 'warned') warnings.push(r)
	})
	const wrong = await ended
	if (wrong && problems.length === 0) problems.push({ error: wrong.message })
	return { problems, warnings }
}

// messageOf returns the line of a failure or a warning.
function messageOf({ file, path, line, column, error, text }) {
	const place = [file ?? path, line, column].filter(part => part !== undefined).join(':')
	return (place && place + ': ') + (error ?? text)
}

// overlayError returns failures as one error that Vite prints and shows in its overlay.
function overlayError(problems, root) {
	const { file, line = 1, column = 1 } = problems[0]
	const id = file && path.resolve(root, file)
	return { message: problems.map(messageOf).join('\n'), stack: '', plugin: 'assetcook', id, loc: id && { file: id, line, column } }
}

// readOutput returns the assets of the manifest of an output directory.
function readOutput(out) {
	return readAssets(async name => JSON.parse(await readFile(path.join(out, name), 'utf8')))
}

const ends = ['exit', 'SIGINT', 'SIGHUP'] // of a process; Vite turns SIGTERM into exit
const closeOverlay = { type: 'update', updates: [] }

const watchers = new Map() // by output directory, because Vite starts a new server before it ends the old one

// watch starts "cook -watch" beside a dev server.
async function watch(project, server) {
	await watchers.get(project.out)?.stop()
	const watcher = new Watcher(project, server)
	watchers.set(project.out, watcher)
	return watcher
}

// A Watcher forwards what "cook -watch" does to the pages of a dev server.
class Watcher {
	#project
	#server
	#cook
	#stopped = false
	#failed = new Map() // failures by asset
	#wrong = [] // failures that belong to no asset
	#outputs = new Map() // by path
	#last = Promise.resolve() // update of the last round
	#first // fulfilled after the first round
	#shown = ''

	constructor(project, server) {
		this.#project = project
		this.#server = server
		server.ws.on('connection', socket => {
			if (this.#shown) this.#showProblems()
			else socket.send(JSON.stringify(closeOverlay)) // else Vite's first such message reloads the page
		})
		this.#first = new Promise(first => {
			this.#cook = startCook({ ...project, args: [...project.args, '-watch'] }, r => this.#take(r, first))
			this.#cook.ended.then(wrong => {
				if (!this.#stopped) this.#report({ error: wrong?.message ?? 'cook has ended' })
				first()
			})
		})
		for (const end of ends) process.once(end, this.#kill)
	}

	// #kill ends cook, and passes on a signal that ends this process.
	#kill = signal => {
		this.#stopped = true
		for (const end of ends) process.off(end, this.#kill)
		this.#cook.child.kill()
		if (typeof signal === 'string') process.kill(process.pid, signal)
	}

	async stop() {
		this.#kill()
		await this.#cook.ended
	}

	// #take takes a record of cook.
	#take(r, first) {
		const asset = `${r.target ?? ''} ${r.path}`
		switch (r.event) {
			case 'failed':
				this.#failed.set(asset, r)
				break
			case 'cooked': case 'restored': case 'unchanged': case 'up_to_date': case 'not_shipped': case 'removed':
				this.#failed.delete(asset)
				break
			case 'error':
				this.#wrong.push(r)
				break
			case 'note':
				if (r.text === 'the rules are right again') this.#wrong = []
				break
			case 'warned':
				this.#server.config.logger.warn('cook: ' + messageOf(r), { timestamp: true })
				break
			case 'summary':
				this.#last = this.#last.then(() => this.#round()).catch(error => this.#report({ error: error.message })).then(first)
		}
	}

	// #report shows a failure that belongs to no asset.
	#report(problem) {
		this.#wrong.push(problem)
		this.#showProblems()
	}

	// #round tells pages what a round has changed.
	async #round() {
		const before = this.#outputs, changes = []
		this.#outputs = new Map()
		for (const { source, target, outputs = [] } of await readOutput(this.#project.out)) {
			for (const o of outputs) {
				this.#outputs.set(o.path, { ...o, source, target })
				if (before.get(o.path)?.blake3 !== o.blake3) changes.push({ path: o.path, source, target, blob: o.blake3 })
			}
		}
		for (const [path, { source, target }] of before) if (!this.#outputs.has(path)) changes.push({ path, source, target, removed: true })
		if (before.size > 0 && changes.length > 0) this.#server.ws.send({ type: 'custom', event, data: { changes } })
		this.#showProblems()
	}

	// #showProblems prints new failures, and updates the overlay.
	#showProblems() {
		const { ws, config } = this.#server
		const problems = [...this.#wrong, ...this.#failed.values()]
		const shown = problems.map(messageOf).join('\n')
		if (shown) ws.send({ type: 'error', err: overlayError(problems, this.#project.root) })
		else if (this.#shown) ws.send(closeOverlay)
		if (shown && shown !== this.#shown) config.logger.error('cook: ' + shown, { timestamp: true })
		this.#shown = shown
	}

	// serve answers requests below the URL of the output directory. Only files of the manifest exist.
	async serve(request, response) {
		await this.#first
		let name = ''
		try {
			name = decodeURIComponent(new URL(request.url, 'http://localhost').pathname.slice(1))
		} catch {
			// is no URL
		}
		const output = this.#outputs.get(name)
		const missing = () => {
			response.statusCode = 404
			response.end(`cook has no output ${name}\n`)
		}
		if (!output && name !== 'manifest.json' && !/^manifest\.parts\/\w+\.json$/.test(name)) return missing()
		response.setHeader('Cache-Control', 'no-cache')
		if (output) response.setHeader('ETag', `"${output.blake3}"`)
		if (output && request.headers['if-none-match'] === `"${output.blake3}"`) {
			response.statusCode = 304
			return response.end()
		}
		response.setHeader('Content-Type', types[path.extname(name)] ?? 'application/octet-stream')
		createReadStream(path.join(this.#project.out, name)).on('error', missing).pipe(response)
	}
}

const types = {
	'.css': 'text/css', '.glb': 'model/gltf-binary', '.gltf': 'model/gltf+json', '.html': 'text/html', '.jpg': 'image/jpeg', '.js': 'text/javascript',
	'.json': 'application/json', '.ktx2': 'image/ktx2', '.ogg': 'audio/ogg', '.opus': 'audio/ogg', '.png': 'image/png', '.svg': 'image/svg+xml',
	'.ttf': 'font/ttf', '.txt': 'text/plain', '.wasm': 'application/wasm', '.wav': 'audio/wav', '.webp': 'image/webp', '.woff2': 'font/woff2',
}

// collect returns the files that a build adds. Files that name each other lie in one directory, which
// is named by the content of them all, so that relative URLs between them stay right.
async function collect(out, target) {
	const assets = (await readOutput(out)).filter(a => target === undefined || (a.target ?? '') === target)
	const outputs = new Map(assets.flatMap(a => a.outputs ?? []).map(o => [o.path, o]))
	const sources = new Map()
	const parents = new Map() // trees of files that name each other
	const top = name => {
		while (parents.has(name)) name = parents.get(name)
		return name
	}
	for (const name of outputs.keys()) {
		const source = await readFile(path.join(out, name))
		sources.set(name, source)
		for (const other of namedFiles(name, source)) {
			if (outputs.has(other) && top(other) !== top(name)) parents.set(top(other), top(name))
		}
	}
	const hashes = new Map()
	for (const name of [...outputs.keys()].sort()) {
		if (!hashes.has(top(name))) hashes.set(top(name), createHash('sha256'))
		hashes.get(top(name)).update(`${name}\0${outputs.get(name).blake3}\n`)
	}
	const directories = new Map([...hashes].map(([name, hash]) => [name, hash.digest('hex').slice(0, 12)]))
	const place = name => `${directories.get(top(name))}/${name}`
	const moved = assets.map(a => ({ ...a, outputs: a.outputs?.map(o => ({ ...o, path: place(o.path), name: o.path })) }))
	const manifest = JSON.stringify({ assetcook: 2, assets: moved })
	const manifestName = `manifest-${createHash('sha256').update(manifest).digest('hex').slice(0, 12)}.json`
	const files = [...sources].map(([name, source]) => ({ fileName: place(name), source }))
	return { files: [...files, { fileName: manifestName, source: manifest }], manifestName }
}

// namedFiles returns the paths that a text, or the JSON of a GLB, may name by relative URLs.
function* namedFiles(name, source) {
	let text
	try {
		const glb = source.length > 20 && source.toString('latin1', 0, 4) === 'glTF'
		text = new TextDecoder('utf-8', { fatal: true }).decode(glb ? source.subarray(20, 20 + source.readUInt32LE(12)) : source)
	} catch {
		return // is binary
	}
	for (const [word] of text.matchAll(/"(?:[^"\\]|\\.)*"|[^\s"'=<>()]+/g)) {
		try {
			const url = word.startsWith('"') ? JSON.parse(word) : word
			yield path.posix.join(path.posix.dirname(name), decodeURIComponent(url))
		} catch {
			// is no URL
		}
	}
}
