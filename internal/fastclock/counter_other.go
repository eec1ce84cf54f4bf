//go:build purego || !(amd64 || arm64)

package fastclock

const counts = false

func counter() int64 { return 0 }
