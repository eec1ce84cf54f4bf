package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// What the packages of the command may allocate before main runs. Each run pays for it,
// also one that uses none of them, so a library that exceeds this is replaced, or
// imported by a package that only its users import. Time is not tested: it depends on
// the machine.
const (
	maxPackageBytes  = 40_000
	maxPackageAllocs = 400
	maxTotalBytes    = 250_000
	maxTotalAllocs   = 1_500
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

// No package needs the system's C library: loading it takes longer than all
// initialization.
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
		if packages[i+1] != "0" && packages[i] != "runtime/cgo" {
			t.Errorf("%s uses cgo", packages[i])
		}
	}
}

// Nothing that speaks to servers is linked: it is in programs of their own, which a run that
// needs none does not start.
func TestNoNetwork(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".", "../cook-remote").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), "google.golang.org/grpc\n") {
		t.Fatal("cook-remote needs no gRPC")
	}
	if out, err = exec.Command("go", "list", "-deps", ".").Output(); err != nil {
		t.Fatal(err)
	}
	for pkg := range strings.Lines(string(out)) {
		if pkg = strings.TrimSpace(pkg); pkg == "net" || pkg == "net/http" || strings.HasPrefix(pkg, "google.golang.org/") {
			t.Errorf("cook links %s", pkg)
		}
	}
}
