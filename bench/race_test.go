//go:build race

package bench

// checksPointers: the race detector also checks that pointers stay in what they
// point into.
const checksPointers = true
