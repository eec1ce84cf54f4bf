// Command release writes the parts of a release that GoReleaser does not make. Run it in the root
// of the repository.
//
//	release notices                         prints the licenses of all linked modules
//	release sbom BINARY FILE                writes the modules of a program, as CycloneDX
//	release image DIST NOTICES DIR          writes a container image, as OCI layout
//	release push DIST NOTICES REPOSITORY    pushes the container image to a registry
//
// DIST is the output directory of GoReleaser.
package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
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

// writeContents writes the modules of a program as CycloneDX. It reads them from the binary. The
// document has no time and no serial number, so that the same program gives the same document.
func writeContents(binary, file string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	b := cdx.NewBOM()
	name := info.Path[strings.LastIndex(info.Path, "/")+1:]
	program := goComponent(cdx.ComponentTypeApplication, info.Main.Path, info.Main.Version)
	program.Name = name
	b.Metadata = &cdx.Metadata{Component: &program}
	parts := []cdx.Component{goComponent(cdx.ComponentTypeLibrary, "std", strings.TrimPrefix(info.GoVersion, "go"))}
	var refs []string
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, goComponent(cdx.ComponentTypeLibrary, m.Path, m.Version))
	}
	for _, part := range parts {
		refs = append(refs, part.BOMRef)
	}
	b.Components = &parts
	b.Dependencies = &[]cdx.Dependency{{Ref: program.BOMRef, Dependencies: &refs}}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := cdx.NewBOMEncoder(f, cdx.BOMFileFormatJSON).SetPretty(true).Encode(b); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func goComponent(kind cdx.ComponentType, path, version string) cdx.Component {
	url := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return cdx.Component{Type: kind, Name: path, Version: version, PackageURL: url, BOMRef: url}
}
