//go:build !unix

package regular

// NoWait is a flag of os.OpenFile that has an effect on other systems.
const NoWait = 0
