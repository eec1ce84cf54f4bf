// Runs the programs of the package for this platform.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

// programPath returns the file of a program, cook or hashsum. It throws an error with a remedy if
// the package for this platform is not installed.
export function programPath(program) {
	const platform = `${process.platform}-${process.arch}`
	const name = `@assetcook/${platform}`
	const file = process.platform === 'win32' ? `${program}.exe` : program
	try {
		return createRequire(import.meta.url).resolve(`${name}/bin/${file}`)
	} catch {
		const { optionalDependencies = {} } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))
		throw new Error(name in optionalDependencies
			? `the package ${name} is not installed; install assetcook again without --omit=optional, on this platform`
			: `there is no package for ${platform}; build the program with Go instead`)
	}
}

// run runs a program with the input, output and exit status of this process.
export function run(program) {
	let path
	try {
		path = programPath(program)
	} catch (error) {
		console.error(`${program}: error: ${error.message}`)
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
