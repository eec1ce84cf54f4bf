package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

var systems = []string{
	"linux/amd64", "linux/arm64", "linux/386", "linux/arm", "darwin/amd64", "darwin/arm64",
	"windows/amd64", "windows/arm64", "freebsd/amd64",
}

// allowed are the licenses that require only notices.
var allowed = []string{"MIT", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "ISC", "CC0-1.0", "Unlicense", "0BSD", "Zlib"}

// A module is a Go module that the programs link.
type module struct {
	Path, Version string
	Texts         []string // names of files with licenses and notices
}

const ourModule = "github.com/assetcook/assetcook"

var noticeFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|unlicense)([.-].*)?$`)

// linkedModules returns the modules of the programs on all systems, and Go itself, by path. It
// finds the texts of a module in its root and in the directories of linked packages.
func linkedModules(root string) ([]module, error) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	texts, err := textsOf(strings.TrimSpace(string(goroot)))
	if err != nil {
		return nil, err
	}
	found := map[string]*module{"std": {"Go standard library", runtime.Version(), texts}}
	for _, system := range systems {
		goos, goarch, _ := strings.Cut(system, "/")
		list := exec.Command("go", "list", "-deps", "-json=Dir,Module", "./cmd/cook", "./cmd/hashsum")
		list.Dir, list.Stderr = root, os.Stderr
		list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", system, err)
		}
		for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
			var p struct {
				Dir    string
				Module *struct{ Path, Version, Dir string }
			}
			if err := d.Decode(&p); err != nil {
				return nil, err
			}
			if p.Module == nil || p.Module.Path == ourModule {
				continue
			}
			m := found[p.Module.Path]
			if m == nil {
				m = &module{Path: p.Module.Path, Version: p.Module.Version}
				found[m.Path] = m
			}
			for dir := p.Dir; len(dir) >= len(p.Module.Dir); dir = filepath.Dir(dir) {
				if texts, err = textsOf(dir); err != nil {
					return nil, err
				}
				m.Texts = append(m.Texts, texts...)
			}
		}
	}
	var all []module
	for _, m := range found {
		slices.Sort(m.Texts)
		m.Texts = slices.Compact(m.Texts)
		all = append(all, *m)
	}
	slices.SortFunc(all, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// textsOf returns the files in a directory that have licenses or notices.
func textsOf(dir string) (files []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Type().IsRegular() && noticeFile.MatchString(e.Name()) && filepath.Ext(e.Name()) != ".go" {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files, err
}

// writeNotices writes the texts of all modules. It returns an error if a module's license is
// unknown or not allowed.
func writeNotices(w io.Writer, linked []module) error {
	var b bytes.Buffer
	b.WriteString("cook and hashsum contain the software below, under these licenses.\n")
	for _, m := range linked {
		licensed := false
		fmt.Fprintf(&b, "\n%s\n%s %s\n%[1]s\n", strings.Repeat("=", 72), m.Path, m.Version)
		for _, file := range m.Texts {
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			ids, err := licensesIn(text)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			licensed = licensed || len(ids) > 0
			fmt.Fprintf(&b, "\n%s\n", bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))))
		}
		if !licensed {
			return fmt.Errorf("%s: %q has no known license; check the module", m.Path, m.Texts)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// licensesIn returns the SPDX names of the licenses in a text. It returns an error if one of them
// is not allowed.
func licensesIn(text []byte) (ids []string, err error) {
	for _, match := range licensecheck.Scan(text).Match {
		if match.IsURL {
			continue
		}
		if !slices.Contains(allowed, match.ID) && match.ID != "GooglePatentsFile" && match.ID != "GooglePatentClause" {
			return nil, fmt.Errorf("license %s is not allowed in a release; remove the module or add the license", match.ID)
		}
		ids = append(ids, match.ID)
	}
	return ids, nil
}
