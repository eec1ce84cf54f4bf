package ptrhash_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/assetcook/assetcook/ptrhash"
)

// This allocation tracker knows the size and owner of each live block.
func ExampleTable() {
	type record struct {
		size  int32
		owner uint32
	}
	living := ptrhash.NewTable[record](100_000)
	untracked := 0

	for address, size := range map[uintptr]int32{0xc000_0400: 64, 0xc000_0800: 256} {
		switch err := living.Insert(address, record{size: size, owner: 7}); {
		case errors.Is(err, ptrhash.ErrFull):
			untracked++ // the table does not grow
		case err != nil:
			fmt.Println(err)
		}
	}
	if freed, ok := living.Delete(0xc000_0400); ok {
		fmt.Println("freed", freed.size, "bytes")
	}
	for address, r := range living.All() {
		fmt.Printf("leaked: %#x, %d bytes of owner %d\n", address, r.size, r.owner)
	}
	fmt.Println(untracked, "not tracked")
	// Output:
	// freed 64 bytes
	// leaked: 0xc0000800, 256 bytes of owner 7
	// 0 not tracked
}

// A table leaves bins empty if its size shares a prime factor with the distance of its addresses.
// This sieve finds the prime factors of successive numbers without divisions and without a limit.
// Each prime counts down to its next multiple. The primes whose counters end at a number are its
// factors.
func Example_countingSieve() {
	type counter struct{ prime, left int }
	var counters []counter
	factors := map[int][]int{}
	for n := 2; n <= 4096; n++ {
		for i := range counters {
			c := &counters[i]
			if c.left--; c.left == 0 {
				factors[n] = append(factors[n], c.prime)
				c.left = c.prime
			}
		}
		if factors[n] == nil { // n is a prime
			factors[n] = []int{n}
			counters = append(counters, counter{n, n})
		}
	}
	for _, n := range []int{48, 84, 4080, 4093, 4095, 4096} {
		fmt.Println(n, strings.ReplaceAll(fmt.Sprint(factors[n]), " ", ", "))
	}
	// Addresses 48 bytes apart reach all bins of a table whose size has neither 2 nor 3 as a
	// factor.
	for _, size := range []int{4096, 4093} {
		reached := map[int]bool{}
		for i := range size {
			reached[(0x0c00_0400+48*i)%size] = true
		}
		fmt.Println(size, "bins,", len(reached), "reached")
	}
	// Output:
	// 48 [2, 3]
	// 84 [2, 3, 7]
	// 4080 [2, 3, 5, 17]
	// 4093 [4093]
	// 4095 [3, 5, 7, 13]
	// 4096 [2]
	// 4096 bins, 256 reached
	// 4093 bins, 4093 reached
}
