package sysmem

import (
	"os"
	"runtime"
	"testing"
)

// The peak covers memory that was written to, and stays when that is gone.
func TestPeakRSS(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("not known on this system")
	}
	page := os.Getpagesize()
	memory := make([]byte, 64<<20)
	for at := 0; at < len(memory); at += page {
		memory[at] = 1
	}
	held := PeakRSS()
	if now := RSS(); runtime.GOOS == "linux" && (now < int64(len(memory)) || now > held+8<<20) {
		t.Errorf("%d bytes now, and %d at most, about, with %d in use", now, held, len(memory))
	}
	runtime.KeepAlive(memory)
	if held < int64(len(memory)) || held > 1<<40 {
		t.Errorf("%d bytes, with %d in use", held, len(memory))
	}
	memory = nil
	runtime.GC()
	if after := PeakRSS(); after < held {
		t.Errorf("%d bytes after %d", after, held)
	}
}
