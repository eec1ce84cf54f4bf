package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Limits for the allocations of package initializers, which every run of cook pays for. A library
// that exceeds them is replaced. Time is not tested, because it depends on the machine.
const (
	maxPackageBytes  = 38_000
	maxPackageAllocs = 380
	maxTotalBytes    = 320_000
	maxTotalAllocs   = 2_000
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
		// A line looks like this: init PACKAGE @1.2 ms, 0.3 ms clock, 456 bytes, 7 allocs
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

// Only the standard library's net uses cgo, and it also builds without a C compiler. Releases are
// built without cgo, because loading the C library slows each start.
func TestNoCgo(t *testing.T) {
	for pkg, files := range dependencies(t, "{{len .CgoFiles}}") {
		if files != "0" && pkg != "runtime/cgo" && pkg != "net" {
			t.Errorf("%s uses cgo", pkg)
		}
	}
}

// cook links neither grpc-go and its generated protobuf messages nor the library of the Model
// Context Protocol, which only tests need. Their initializers made each start a third and 6 %
// slower.
func TestNoLibrariesOfTests(t *testing.T) {
	for pkg := range dependencies(t, "-") {
		for _, module := range []string{"google.golang.org/grpc", "google.golang.org/genproto", "cloud.google.com", "github.com/bazelbuild/remote-apis", "github.com/modelcontextprotocol"} {
			if strings.HasPrefix(pkg, module) {
				t.Errorf("cook links %s", pkg)
			}
		}
	}
}

// dependencies returns the output of go list for each package that cook links with cgo.
func dependencies(t *testing.T, format string) map[string]string {
	list := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} "+format, ".")
	list.Env = append(os.Environ(), "CGO_ENABLED=1")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for line := range strings.Lines(string(out)) {
		pkg, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[pkg] = value
	}
	if len(all) < 100 {
		t.Fatalf("only %d packages are listed", len(all))
	}
	return all
}
