package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Limits for the allocations of package initializers. Each run pays for them, even if it uses
// none of the packages, so a library that exceeds them is replaced. The gRPC and Protocol
// Buffers libraries of -remote make half of them. Time is not tested: it depends on the
// machine.
const (
	maxPackageBytes  = 56_000
	maxPackageAllocs = 500
	maxTotalBytes    = 660_000
	maxTotalAllocs   = 3_400
)

func TestInitAllocations(t *testing.T) {
	program := filepath.Join(t.TempDir(), "cook.exe")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program, "help")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	packages, totalBytes, totalAllocs := 0, 0, 0
	for line := range strings.Lines(string(out)) {
		// init PACKAGE @1.2 ms, 0.3 ms clock, 456 bytes, 7 allocs
		words := strings.Fields(line)
		if len(words) != 11 || words[0] != "init" {
			continue
		}
		bytes, err := strconv.Atoi(words[7])
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		allocs, err := strconv.Atoi(words[9])
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		packages++
		totalBytes, totalAllocs = totalBytes+bytes, totalAllocs+allocs
		if bytes > maxPackageBytes || allocs > maxPackageAllocs {
			t.Errorf("%s makes %d allocations of %d bytes before main, want at most %d of %d", words[1], allocs, bytes, maxPackageAllocs, maxPackageBytes)
		}
	}
	t.Logf("%d packages, %d allocations of %d bytes", packages, totalAllocs, totalBytes)
	if totalBytes > maxTotalBytes || totalAllocs > maxTotalAllocs {
		t.Errorf("all packages make %d allocations of %d bytes before main, want at most %d of %d", totalAllocs, totalBytes, maxTotalAllocs, maxTotalBytes)
	}
	if packages < 50 || totalAllocs < 500 {
		t.Errorf("only %d packages and %d allocations were counted:\n%s", packages, totalAllocs, out)
	}
}

// No package but the standard library's net uses cgo, and it does without where there is no C
// compiler. Releases are built without cgo: loading the C library slows each start.
func TestNoCgo(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{len .CgoFiles}}", ".")
	list.Env = append(os.Environ(), "CGO_ENABLED=1")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if len(packages) < 2*100 {
		t.Fatalf("only %d packages are listed", len(packages)/2)
	}
	for i := 0; i < len(packages); i += 2 {
		if packages[i+1] != "0" && packages[i] != "runtime/cgo" && packages[i] != "net" {
			t.Errorf("%s uses cgo", packages[i])
		}
	}
}
