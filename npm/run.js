'use strict'
// Runs a program of the package for this platform, with the same input, output and exit status.
const { spawn } = require('node:child_process')

module.exports = program => {
	const platform = `${process.platform}-${process.arch}`
	const name = `@assetcook/${platform}`
	const file = process.platform === 'win32' ? `${program}.exe` : program
	let path
	try {
		path = require.resolve(`${name}/bin/${file}`)
	} catch {
		const known = Object.keys(require('./package.json').optionalDependencies)
		console.error(known.includes(name)
			? `${program}: error: the package ${name} is not installed; install assetcook again without --omit=optional, on this platform`
			: `${program}: error: there is no package for ${platform}; build the program with Go instead`)
		process.exit(1)
	}
	const child = spawn(path, process.argv.slice(2), { stdio: 'inherit' })
	// A terminal sends Ctrl-C to the child as well, which ends at once after a second one.
	const terminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
	process.on('SIGINT', () => terminal || child.kill('SIGINT'))
	for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
	child.on('error', error => {
		console.error(`${program}: error: cannot start ${path}: ${error.message}`)
		process.exit(1)
	})
	child.on('exit', (code, signal) => {
		if (signal === null) process.exit(code)
		process.removeAllListeners(signal)
		process.kill(process.pid, signal)
	})
}
