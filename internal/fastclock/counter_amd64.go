//go:build !purego

package fastclock

// counts reports whether the time stamp counter can be used. Bit 8 of EDX in CPUID leaf 0x80000007
// is set if the rate of the counter never changes (Intel SDM 17.17.1, AMD APM 2 13.2.4). counts is
// set before main and never changes.
var counts = func() bool {
	if top, _, _, _ := cpuid(0x80000000); top < 0x80000007 {
		return false
	}
	_, _, _, edx := cpuid(0x80000007)
	return edx&(1<<8) != 0
}()

// counter executes RDTSC. It does not wait for earlier instructions. This does not matter for
// durations of more than a few nanoseconds.
//
//go:noescape
func counter() int64

//go:noescape
func cpuid(leaf uint32) (eax, ebx, ecx, edx uint32)
