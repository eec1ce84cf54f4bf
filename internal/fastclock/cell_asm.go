//go:build !purego && (amd64 || arm64)

package fastclock

// setCell writes first the word, then the tick, so that other cores see them in
// this order.
//
//go:noescape
func setCell(c *Cell, what uint64) int64

// clearCell makes the tick 0 before whatever is written later.
//
//go:noescape
func clearCell(c *Cell) int64
