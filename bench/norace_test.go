//go:build !race

package bench

const checksPointers = false
