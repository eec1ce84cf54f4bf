//go:build !unix

package regular

// NoWait is a flag of os.OpenFile that means something on other systems.
const NoWait = 0
