package main

import (
	"debug/buildinfo"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryLinkedModuleHasAnAllowedLicense expects the notices to include each linked module.
func TestEveryLinkedModuleHasAnAllowedLicense(t *testing.T) {
	linked, err := linkedModules("..")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := writeNotices(&b, linked); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"cook", "hashsum"} {
		file := filepath.Join(t.TempDir(), program)
		build := exec.Command("go", "build", "-o", file, "./cmd/"+program)
		build.Dir = ".."
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		info, err := buildinfo.ReadFile(file)
		if err != nil || len(info.Deps) == 0 {
			t.Fatal(err, info)
		}
		document := filepath.Join(t.TempDir(), "bom.json")
		if err := writeContents(file, document); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(document)
		if err != nil || !json.Valid(text) {
			t.Fatal(err)
		}
		for _, m := range info.Deps {
			if !strings.Contains(b.String(), "\n"+m.Path+" "+m.Version+"\n") {
				t.Errorf("the notices lack %s %s", m.Path, m.Version)
			}
			if !strings.Contains(string(text), `"name": "`+m.Path+`"`) {
				t.Errorf("the contents of %s lack %s", program, m.Path)
			}
		}
	}
}

// TestUnknownAndForbiddenLicensesAreRefused expects an error that names a module under the GPL or
// without a license.
func TestUnknownAndForbiddenLicensesAreRefused(t *testing.T) {
	dir := t.TempDir()
	gpl := filepath.Join(dir, "COPYING")
	if err := os.WriteFile(gpl, []byte(gplHeader), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		module
		want string
	}{
		{module{Path: "example.com/gpl", Texts: []string{gpl}}, "GPL-3.0-or-later is not allowed"},
		{module{Path: "example.com/none"}, "has no known license"},
	} {
		err := writeNotices(new(strings.Builder), []module{c.module})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// gplHeader is the text in files under the GPL.
const gplHeader = `This program is free software: you can redistribute it and/or modify
it under the terms of the GNU General Public License as published by
the Free Software Foundation, either version 3 of the License, or
(at your option) any later version.
`
