//go:build !purego

package fastclock

// counts reports whether the time stamp counter may be used: EDX bit 8 of CPUID leaf 0x80000007
// says that its rate never changes (Intel SDM 17.17.1, AMD APM 2 13.2.4). It is set before main and
// does not change.
var counts = func() bool {
	if top, _, _, _ := cpuid(0x80000000); top < 0x80000007 {
		return false
	}
	_, _, _, edx := cpuid(0x80000007)
	return edx&(1<<8) != 0
}()

// counter is RDTSC. It does not wait for earlier instructions, which does not matter for durations
// of more than a few nanoseconds.
//
//go:noescape
func counter() int64

//go:noescape
func cpuid(leaf uint32) (eax, ebx, ecx, edx uint32)
