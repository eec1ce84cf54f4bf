// Command release writes the parts of a release that GoReleaser does not make. It runs in
// the root of the repository.
//
//	release notices                         prints the licenses of all linked modules
//	release sbom BINARY FILE                writes the modules of a program, as CycloneDX
//	release image DIST NOTICES DIR          writes a container image, as OCI layout
//	release push DIST NOTICES REPOSITORY    pushes the container image to a registry
//
// DIST is the directory that GoReleaser has filled.
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
	case len(args) == 4 && args[0] == "image":
		err = writeImage(args[1], args[2], args[3])
	case len(args) == 4 && args[0] == "push":
		err = pushImage(args[1], args[2], args[3])
	default:
		fmt.Fprintln(os.Stderr, "usage: release notices | sbom BINARY FILE | image DIST NOTICES DIR | push DIST NOTICES REPOSITORY")
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release: error:", err)
		os.Exit(1)
	}
}
