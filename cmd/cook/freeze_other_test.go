//go:build !unix

package main

import "github.com/rogpeppe/go-internal/testscript"

func freeze(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("no process can be stopped here")
}
