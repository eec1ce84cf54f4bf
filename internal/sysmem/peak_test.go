package sysmem

import (
	"os"
	"runtime"
	"testing"
)

// TestPeakRSSIncludesFreedMemory checks that the peak includes memory that was written to, even
// after it was freed.
func TestPeakRSSIncludesFreedMemory(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("the peak is unknown on this system")
	}
	page := os.Getpagesize()
	memory := make([]byte, 64<<20)
	for at := 0; at < len(memory); at += page {
		memory[at] = 1
	}
	held := PeakRSS()
	if now := RSS(); runtime.GOOS == "linux" && (now < int64(len(memory)) || now > held+8<<20) {
		t.Errorf("RSS is %d and PeakRSS %d bytes, with %d in use", now, held, len(memory))
	}
	runtime.KeepAlive(memory)
	if held < int64(len(memory)) || held > 1<<40 {
		t.Errorf("PeakRSS is %d bytes, with %d in use", held, len(memory))
	}
	memory = nil
	runtime.GC()
	if after := PeakRSS(); after < held {
		t.Errorf("PeakRSS fell to %d bytes from %d", after, held)
	}
}
