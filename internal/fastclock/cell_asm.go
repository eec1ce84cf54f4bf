//go:build !purego && (amd64 || arm64)

package fastclock

// setCell stores the word before the tick, so that other cores see the two stores in this order.
//
//go:noescape
func setCell(c *Cell, what uint64) int64

// clearCell sets the tick to 0, so that other cores see this store before all later stores.
//
//go:noescape
func clearCell(c *Cell) int64
