package ptrhash_test

import (
	"errors"
	"fmt"

	"github.com/assetcook/assetcook/ptrhash"
)

// An allocation tracker knows of each living block its size and its owner.
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
			untracked++ // the table does not grow; say so instead
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
