//go:build race

package bench

// checksPointers reports whether the race detector is on. The detector also checks that pointers
// stay inside their objects.
const checksPointers = true
