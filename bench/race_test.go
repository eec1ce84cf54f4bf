//go:build race

package bench

// checksPointers reports that the race detector also checks that pointers stay inside their
// objects.
const checksPointers = true
