package bundle

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/cook/pak"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/jobs"
)

func TestRecipesAreComplete(t *testing.T) {
	for _, r := range All() {
		recipetest.Check(t, r, map[string]any{"level": int64(7)})
	}
}

// cook cooks a source with a recipe and returns the name of the output. All queries of the recipe
// return the given artifacts.
func cook(t *testing.T, name, source string, artifacts map[string]string) (string, *recipe.Job, error) {
	t.Helper()
	var list []manifest.Asset
	for path, data := range artifacts {
		list = append(list, manifest.Asset{Source: path, Outputs: []manifest.Output{
			{Path: path, Size: int64(len(data)), BLAKE3: hashing.DigestOf([]byte(data))},
		}})
	}
	tree := fstest.MapFS{"source": {Data: []byte(source)}}
	file := filepath.Join(t.TempDir(), "out")
	for _, r := range All() {
		if r.Name != name {
			continue
		}
		job := jobs.New(r, jobs.Env{
			Path: "source", Outputs: []string{file}, Open: tree.Open,
			Stat:   func(p string) (fs.FileInfo, error) { return fs.Stat(tree, p) },
			Create: func(int) (*os.File, error) { return os.Create(file) },
			Artifacts: func(patterns []string) ([]manifest.Asset, recipe.Dependency, error) {
				return list, dependency.OfArtifacts(dependency.Artifacts, "", patterns), nil
			},
			IDs: func(patterns []string) (map[string]string, recipe.Dependency, error) {
				ids := map[string]string{}
				for path := range artifacts {
					ids[path] = "ID of " + path
				}
				return ids, dependency.OfArtifacts(dependency.IDs, "", patterns), nil
			},
			ReadArtifact: func(p string) ([]byte, error) { return []byte(artifacts[p]), nil },
		}, int64(len(source)))
		return file, job, r.New().Cook(context.Background(), job)
	}
	t.Fatal("no recipe ", name)
	return "", nil, nil
}

func TestPakContainsTheArtifacts(t *testing.T) {
	file, job, err := cook(t, "pak", "\ufeff# all\r\n\r\n**\r\n", map[string]string{"a/b.txt": strings.Repeat("text ", 1000), "c": ""})
	if err != nil || len(jobs.Warnings(job)) > 0 || len(jobs.Deps(job)) != 1 {
		t.Fatal(err, jobs.Warnings(job), jobs.Deps(job))
	}
	p, err := pak.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if e, ok, err := p.Lookup("a/b.txt"); err != nil || !ok || !e.Compressed || p.Len() != 2 {
		t.Errorf("%+v, %d files, %v", e, p.Len(), err)
	}
	if _, job, err := cook(t, "pak", "*.nothing", nil); err != nil || len(jobs.Warnings(job)) != 1 {
		t.Errorf("an empty pak: %v, warnings %q", err, jobs.Warnings(job))
	}
	if _, _, err := cook(t, "pak", "# nothing\n\n", nil); err == nil || !strings.HasPrefix(err.Error(), "the file has no pattern; write a pattern in each line, such as **, which matches all artifacts") {
		t.Errorf("without patterns: %v", err)
	}
	if _, _, err := cook(t, "pak", "a\xff", nil); err == nil {
		t.Error("patterns that are not UTF-8 are accepted")
	}
}

func TestListFillsTheTemplate(t *testing.T) {
	artifacts := map[string]string{"ui/1 \".png": "x"}
	for source, want := range map[string]string{
		`{{range artifacts "**"}}{{.Source}} {{range .Outputs}}{{.Size}} {{ident .Path | upper}} {{json .Path}} {{base .Path}} {{dir .Path}} {{ext .Path}} {{trim "ui/" .Path}}{{end}}{{end}}`: `ui/1 ".png 1 UI_1___PNG "ui/1 \".png" 1 ".png ui .png 1 ".png`,
		`{{id "crc32" "123456789"}} {{id "crc32" "123456789"}} {{id "xxh3" "a"}}`:                                                                                                              "0xcbf43926 0xcbf43926 0xe6c632b61e964e1f",
		"\ufeff{{ident `9é`}}{{lower `A`}}": "_9_a",
		"":                                  "",
	} {
		file, _, err := cook(t, "list", source, artifacts)
		got, _ := os.ReadFile(file)
		if err != nil || string(got) != want {
			t.Errorf("%s\ngives %q, %v\nwant  %q", source, got, err, want)
		}
	}
	for source, deps := range map[string]int{
		`{{range artifacts "**"}}{{.Source}} {{json .}}{{end}}`:                1,
		`{{range artifacts "**"}}{{.ID}} {{.Source}} {{.ID}}{{end}}`:           2,
		`{{range artifacts "**"}}{{if false}}{{.ID}}{{end}}{{.Source}}{{end}}`: 1,
	} {
		file, job, err := cook(t, "list", source, artifacts)
		if err != nil || len(jobs.Deps(job)) != deps {
			t.Errorf("%s: %v, %d dependencies, want %d", source, err, len(jobs.Deps(job)), deps)
		}
		if got, _ := os.ReadFile(file); deps == 2 && string(got) != `ID of ui/1 ".png ui/1 ".png ID of ui/1 ".png` {
			t.Errorf("%s gives %q", source, got)
		}
	}
	for source, want := range map[string]string{
		"a\n{{end}}":           "2:1: unexpected {{end}}",
		"a\n {{id `md5` `x`}}": "2:3: executing",
		"{{id `maphash` `x`}}": "is not a checksum of 32 or 64 bits",
		"{{id `crc32` 1}}":     "1:",
		"a\xff":                "UTF-8",
		"{{define `a`}}{{template `a`}}{{end}}{{template `a`}}":  "exceeded maximum template depth",
		"{{range 300}}" + strings.Repeat("a", 1<<20) + "{{end}}": "the output of the template exceeds 268435456 bytes",
	} {
		if _, _, err := cook(t, "list", source, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.100q: error %v, want %q", source, err, want)
		}
	}
}
