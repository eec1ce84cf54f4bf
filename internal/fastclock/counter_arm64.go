//go:build !purego

package fastclock

// counts is true: the architecture guarantees that the virtual counter has the same constant rate
// on all cores (Arm ARM D12.1.2). Linux, macOS and Windows allow programs to read it.
const counts = true

// counter reads CNTVCT_EL0.
//
//go:noescape
func counter() int64
