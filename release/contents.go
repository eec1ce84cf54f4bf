package main

import (
	"debug/buildinfo"
	"os"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// writeContents writes the modules of a binary as CycloneDX. They are read from the binary,
// which is the authority. The document has no time and no serial number, so that it is the
// same whenever it is made.
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
