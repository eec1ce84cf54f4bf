import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openManifest, readAssets } from './assetcook/index.js'

const hash = digit => digit.repeat(64)
const output = (path, digit = 'a', more = {}) => ({ path, size: 1, blake3: hash(digit), ...more })

// opened opens a manifest whose files are at https://game.test/play/cooked/.
function opened(files, options) {
	const load = async url => {
		const name = decodeURIComponent(new URL(url).pathname.replace('/play/cooked/', ''))
		if (!(name in files)) throw new Error(`${name} is missing`)
		return files[name]
	}
	return openManifest('https://game.test/play/cooked/manifest.json', { load, ...options })
}

const single = assets => ({ 'manifest.json': { assetcook: 2, assets } })

test('a source, its ID and an output have one URL, which changes with the content', async () => {
	const files = single([{ source: 'ui/start banner#1.png', id: '01-23', outputs: [output('ui/start banner#1.ktx2', 'c'), output('ui/small.ktx2')] }])
	const m = await opened(files)
	const url = 'https://game.test/play/cooked/ui/start%20banner%231.ktx2?v=cccccccccccc'
	for (const name of ['ui/start banner#1.png', '01-23', 'ui/start banner#1.ktx2']) assert.equal(m.url(name), url)
	assert.equal(m.output('ui/small.ktx2').url, 'https://game.test/play/cooked/ui/small.ktx2?v=aaaaaaaaaaaa')
	files['manifest.json'].assets[0].outputs[0].blake3 = hash('d')
	await m.refresh()
	assert.equal(m.url('01-23'), url.replace('=cccccccccccc', '=dddddddddddd'))
})

test('a name with the hash in it needs no version', async () => {
	const m = await opened(single([{ source: 'a.png', outputs: [output('a.aaaaaaaa.ktx2')] }, { source: 'b.png', outputs: [output('0123/b.ktx2', 'b', { name: 'b.ktx2' })] }]))
	assert.equal(m.url('a.png'), 'https://game.test/play/cooked/a.aaaaaaaa.ktx2')
	assert.equal(m.url('b.png'), 'https://game.test/play/cooked/0123/b.ktx2')
	assert.equal(m.url('b.ktx2'), m.url('b.png'))
})

test('the same path as a source and as an output means the source', async () => {
	const m = await opened(single([{ source: 'a.json', outputs: [output('b.json', '1')] }, { source: 'c.json', outputs: [output('a.json', '2')] }]))
	assert.match(m.url('a.json'), /b\.json\?v=1/)
	assert.match(m.resolve('https://game.test/play/cooked/a.json'), /a\.json\?v=2/)
})

test('files that name each other get present versions, and other URLs stay', async () => {
	const m = await opened(single([{ source: 'kart.png', outputs: [output('tex/kart body.ktx2')] }]))
	const now = 'https://game.test/play/cooked/tex/kart%20body.ktx2?v=aaaaaaaaaaaa'
	for (const url of ['tex/kart%20body.ktx2', 'models/../tex/kart%20body.ktx2?v=old', 'kart.png']) {
		assert.equal(m.resolve('https://game.test/play/cooked/' + url), now)
	}
	assert.equal(m.resolve(now), now)
	for (const url of ['data:,x', 'blob:https://game.test/1', 'https://other.test/play/cooked/kart.png', 'https://game.test/kart.png', 'https://game.test/play/cooked/none.png', 'https://game.test/play/cooked/%ff', '::']) {
		assert.equal(m.resolve(url), url)
	}
})

test('a target chooses among the assets of a source', async () => {
	const files = single([
		{ source: 'a.png', outputs: [output('a.ktx2')] },
		{ source: 'a.png', target: 'mobile', outputs: [output('mobile/a.ktx2')] },
		{ source: 'not shipped.png' },
	])
	assert.match((await opened(files)).url('a.png'), /cooked\/a\.ktx2/)
	assert.match((await opened(files, { target: 'mobile' })).url('a.png'), /mobile/)
	assert.equal((await opened(files, { target: '' })).assets().length, 2)
	const m = await opened(files)
	assert.throws(() => m.url('not shipped.png'), /has no output of not shipped\.png/)
	assert.throws(() => m.url('constructor'), /has no output/)
})

test('parts are one list, read again if a cook replaces them meanwhile', async () => {
	const parts = name => ({ assetcook: 2, parts: [{ first: 'a', path: `manifest.parts/${name}.json`, assets: 1 }] })
	const files = { 'manifest.json': parts('old'), 'manifest.parts/new.json': { assetcook: 2, assets: [{ source: 'a' }] } }
	let reads = 0
	const load = async name => {
		if (name === 'manifest.json' && reads++ === 1) files[name] = parts('new')
		if (!(name in files)) throw new Error(`${name} is missing`)
		return files[name]
	}
	assert.deepEqual(await readAssets(load), [{ source: 'a' }])
	files['manifest.json'] = parts('gone')
	await assert.rejects(readAssets(load), /gone\.json is missing/)
})

test('another format is refused', async () => {
	await assert.rejects(opened({ 'manifest.json': { assetcook: 3, assets: [] } }), /format 3, and this version of assetcook reads 2/)
})

test('a change is passed on after the manifest is read again, without a URL if the file is gone', async () => {
	const files = single([{ source: 'a', outputs: [output('a')] }, { source: 'b', outputs: [output('b')] }])
	const m = await opened(files)
	files['manifest.json'] = { assetcook: 2, assets: [{ source: 'a', outputs: [output('a', 'b')] }] }
	const got = []
	await m.update([{ path: 'a', blob: hash('b') }, { path: 'b', removed: true }], async (path, url, change) => got.push([path, url, change.removed ?? false]))
	assert.deepEqual(got, [['a', 'https://game.test/play/cooked/a?v=bbbbbbbbbbbb', false], ['b', undefined, true]])
})

test('a change that the manifest does not list yet has the URL of its new content', async () => {
	const files = single([{ source: 'a', outputs: [output('a')] }, { source: 'b', outputs: [output('b')] }, { source: 'c', target: 'tv', outputs: [output('tv/c')] }])
	const m = await opened(files, { target: '' })
	const got = []
	const changes = [{ path: 'a', blob: hash('b') }, { path: 'b', removed: true }, { path: 'new', blob: hash('c') }, { path: 'tv/c', target: 'tv', blob: hash('c') }]
	await m.update(changes, async (path, url) => got.push([path, url]))
	assert.deepEqual(got, [['a', 'https://game.test/play/cooked/a?v=bbbbbbbbbbbb'], ['b', undefined], ['new', 'https://game.test/play/cooked/new?v=cccccccccccc']])
	assert.equal(m.url('a'), got[0][1])
})

test('a change of known outputs is passed on before the manifest is read', async () => {
	const files = single([{ source: 'a', outputs: [output('a')] }])
	let loads = 0
	const m = await openManifest('https://game.test/play/cooked/manifest.json', { load: async () => (loads++, files['manifest.json']) })
	files['manifest.json'] = { assetcook: 2, assets: [{ source: 'a', outputs: [{ ...output('a', 'b'), size: 2 }] }] }
	const got = []
	await m.update([{ path: 'a', blob: hash('b') }], (path, url) => got.push([url, m.url('a'), loads]))
	const url = 'https://game.test/play/cooked/a?v=bbbbbbbbbbbb'
	assert.deepEqual(got, [[url, url, 1]])
	assert.equal(loads, 2)
	assert.equal(m.output('a').size, 2)
})

test('an update waits for the manifest', async () => {
	const files = single([{ source: 'a', outputs: [output('a')] }])
	const m = await opened(files)
	setTimeout(() => { files['manifest.json'] = { assetcook: 2, assets: [{ source: 'n', outputs: [output('n', 'c')] }] } }, 1)
	await m.update([{ path: 'n', blob: hash('c') }, { path: 'a', removed: true }], () => {})
	assert.equal(m.asset('n').outputs.length, 1)
	assert.equal(m.asset('a'), undefined)
})
