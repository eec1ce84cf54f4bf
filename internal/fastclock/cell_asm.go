//go:build !purego && (amd64 || arm64)

package fastclock

// setCell writes the word, then the tick, so that other cores see them in this order.
//
//go:noescape
func setCell(c *Cell, what uint64) int64

// clearCell sets the tick to 0 before all later stores.
//
//go:noescape
func clearCell(c *Cell) int64
