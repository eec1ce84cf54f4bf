package memory

import "math/bits"

const (
	smallest  = 64
	largest   = 1 << 30
	mapFrom   = 256 << 10 // capacities from this on are mapped
	classes   = 97
	exact     = -1 // the class of sizes above largest
	stepsLog2 = 2  // of the steps to a power of two
)

// classOf returns the class of a size of n bytes and the capacity of that class,
// which is less than a quarter larger than n, or smallest. Above largest the
// capacity is n.
func classOf(n int) (class, capacity int) {
	switch {
	case n <= smallest:
		return 0, smallest
	case n > largest:
		return exact, n
	}
	log2 := bits.Len(uint(n-1)) - 1 // 2^log2 < n <= 2^(log2+1)
	step := 1 << (log2 - stepsLog2)
	capacity = (n + step - 1) &^ (step - 1)
	octave := log2 - (bits.Len(smallest) - 1)
	return octave<<stepsLog2 + (capacity-1<<log2)/step, capacity
}
