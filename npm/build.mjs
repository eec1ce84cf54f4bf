// Makes the npm packages from the archives of a release:
//
//	node npm/build.mjs DIST OUT
//
// OUT gets a folder for assetcook and one for the binaries of each platform in DIST.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const [dist, out] = process.argv.slice(2)
if (!out) {
	console.error('usage: node npm/build.mjs DIST OUT')
	process.exit(2)
}
const here = path.dirname(fileURLToPath(import.meta.url))
const systems = { linux: 'linux', darwin: 'darwin', windows: 'win32', freebsd: 'freebsd' }
const processors = { amd64: 'x64', arm64: 'arm64', 386: 'ia32', arm: 'arm' }
const { version } = JSON.parse(fs.readFileSync(path.join(dist, 'metadata.json')))
const about = JSON.parse(fs.readFileSync(path.join(here, 'assetcook/package.json')))
const { license, repository } = about

function writePackage(dir, fields) {
	fs.writeFileSync(path.join(dir, 'package.json'), JSON.stringify({ ...fields, version }, null, 2) + '\n')
}

const optionalDependencies = {}
const artifacts = JSON.parse(fs.readFileSync(path.join(dist, 'artifacts.json')))
for (const a of artifacts.filter(a => a.type === 'Archive').sort((a, b) => a.name < b.name ? -1 : 1)) {
	const os = systems[a.goos], cpu = processors[a.goarch]
	const name = `@assetcook/${os}-${cpu}`
	const dir = path.join(out, `${os}-${cpu}`)
	const bin = path.join(dir, 'bin')
	fs.mkdirSync(bin, { recursive: true })
	const archive = path.join(dist, a.name)
	const end = a.goos === 'windows' ? '.exe' : ''
	for (const program of ['cook' + end, 'hashsum' + end]) {
		const [tool, args] = archive.endsWith('.zip') ? ['unzip', ['-p', archive, program]] : ['tar', ['-xzOf', archive, program]]
		fs.writeFileSync(path.join(bin, program), execFileSync(tool, args, { maxBuffer: 1 << 29 }), { mode: 0o755 })
	}
	fs.copyFileSync(path.join(here, '../LICENSE'), path.join(dir, 'LICENSE'))
	fs.copyFileSync(path.join(here, '../bin/release/NOTICES'), path.join(dir, 'NOTICES'))
	writePackage(dir, { name, description: `cook and hashsum for ${os} on ${cpu}; install assetcook instead`, license, repository, os: [os], cpu: [cpu], preferUnplugged: true })
	optionalDependencies[name] = version
}
const dir = path.join(out, 'assetcook')
fs.cpSync(path.join(here, 'assetcook'), dir, { recursive: true })
fs.copyFileSync(path.join(here, '../LICENSE'), path.join(dir, 'LICENSE'))
writePackage(dir, { ...about, optionalDependencies })
