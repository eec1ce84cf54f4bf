//go:build purego || !(amd64 || arm64)

package fastclock

func setCell(c *Cell, what uint64) int64 { return setCellGeneric(c, what) }

func clearCell(c *Cell) int64 { return clearCellGeneric(c) }
