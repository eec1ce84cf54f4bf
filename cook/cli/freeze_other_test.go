//go:build !unix

package cli

import "github.com/rogpeppe/go-internal/testscript"

func freeze(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("cannot stop a process on this system")
}
