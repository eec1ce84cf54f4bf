// Command release writes the parts of a release that describe what its programs contain.
// It runs in the root of the repository.
//
//	release notices            prints the licenses of all that the programs link
//	release sbom BINARY FILE   writes the modules of a program, as CycloneDX
package main

import (
	"fmt"
	"os"
)

func main() {
	var err error
	switch args := os.Args[1:]; {
	case len(args) == 1 && args[0] == "notices":
		var linked []module
		if linked, err = linkedModules("."); err == nil {
			err = writeNotices(os.Stdout, linked)
		}
	case len(args) == 3 && args[0] == "sbom":
		err = writeContents(args[1], args[2])
	default:
		fmt.Fprintln(os.Stderr, "usage: release notices | release sbom BINARY FILE")
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release: error:", err)
		os.Exit(1)
	}
}
