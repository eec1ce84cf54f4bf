package main

import (
	"archive/tar"
	"encoding/json"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// distOf returns a directory like GoReleaser's, with one small program in place of both
// programs.
func distOf(t *testing.T, version string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module example.org/small\n\ngo 1.26\n",
		"main.go": "package main\n\nfunc main() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(env []string, command ...string) {
		t.Helper()
		c := exec.Command(command[0], command[1:]...)
		c.Dir, c.Env = root, append(os.Environ(), env...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	run(nil, "git", "init", "-q")
	run(nil, "git", "add", ".")
	run([]string{"GIT_AUTHOR_DATE=2001-02-03T04:05:06Z", "GIT_COMMITTER_DATE=2001-02-03T04:05:06Z"},
		"git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "a")
	type artifact struct {
		Name   string `json:"name"`
		Path   string `json:"path"`
		Goos   string `json:"goos"`
		Goarch string `json:"goarch"`
		Goarm  string `json:"goarm,omitempty"`
		Type   string `json:"type"`
	}
	artifacts := []artifact{{"cook.exe", "dist/missing", "windows", "amd64", "", "Binary"}, {"a.deb", "dist/a.deb", "linux", "amd64", "", "Linux Package"}}
	for _, processor := range []string{"amd64", "arm"} {
		arm := ""
		if processor == "arm" {
			arm = "7"
		}
		for _, program := range []string{"cook", "hashsum"} {
			path := filepath.Join("dist", processor, program)
			run([]string{"GOOS=linux", "GOARCH=" + processor, "GOARM=" + arm, "CGO_ENABLED=0", "GOFLAGS="}, "go", "build", "-trimpath", "-buildvcs=true", "-o", path, ".")
			artifacts = append(artifacts, artifact{program, path, "linux", processor, arm, "Binary"})
		}
	}
	for name, v := range map[string]any{"metadata.json": map[string]string{"version": version}, "artifacts.json": artifacts} {
		data, err := json.Marshal(v)
		if err == nil {
			err = os.WriteFile(filepath.Join(root, "dist", name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(root, "dist")
}

// TestPushedImageHasTheProgramsOfEachPlatform pulls a pushed image for each platform, and expects
// both programs, the certificates and the notices.
func TestPushedImageHasTheProgramsOfEachPlatform(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	repository := strings.TrimPrefix(server.URL, "http://") + "/assetcook"
	dist := distOf(t, "1.2.3")
	notices := filepath.Join(t.TempDir(), "NOTICES")
	if err := os.WriteFile(notices, []byte("the notices"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := pushImage(dist, notices, repository); err != nil {
		t.Fatal(err)
	}
	for _, tag := range []string{"1.2.3", "latest"} {
		for _, platform := range []v1.Platform{{OS: "linux", Architecture: "amd64"}, {OS: "linux", Architecture: "arm", Variant: "v7"}} {
			from, err := name.ParseReference(repository + ":" + tag)
			if err != nil {
				t.Fatal(err)
			}
			image, err := remote.Image(from, remote.WithPlatform(platform))
			if err != nil {
				t.Fatal(err)
			}
			checkImage(t, image, dist, platform)
		}
	}
}

func checkImage(t *testing.T, image v1.Image, dist string, platform v1.Platform) {
	t.Helper()
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.Architecture != platform.Architecture || config.Variant != platform.Variant || config.Created.Unix() != 981173106 {
		t.Errorf("%s: %s %s, made at %v", &platform, config.Architecture, config.Variant, config.Created)
	}
	if l := config.Config.Labels; l["org.opencontainers.image.version"] != "1.2.3" || len(l["org.opencontainers.image.revision"]) != 40 {
		t.Errorf("%s: labels %v", &platform, l)
	}
	data := mutate.Extract(image)
	defer data.Close()
	var names []string
	for r := tar.NewReader(data); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		got, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		switch h.Name {
		case "usr/bin/cook", "usr/bin/hashsum":
			want, err := os.ReadFile(filepath.Join(dist, platform.Architecture, filepath.Base(h.Name)))
			if err != nil || string(got) != string(want) || h.Mode != 0o755 {
				t.Errorf("%s: %s differs, or has mode %o: %v", &platform, h.Name, h.Mode, err)
			}
		case "etc/ssl/certs/ca-certificates.crt":
			if n := strings.Count(string(got), "BEGIN CERTIFICATE"); n < 100 {
				t.Errorf("%d certificates", n)
			}
		case "usr/share/doc/assetcook/NOTICES":
			if string(got) != "the notices" {
				t.Errorf("notices: %q", got)
			}
		}
	}
	want := strings.Fields("cache etc etc/ssl etc/ssl/certs etc/ssl/certs/ca-certificates.crt tmp usr usr/bin usr/bin/cook usr/bin/hashsum usr/share usr/share/doc usr/share/doc/assetcook usr/share/doc/assetcook/NOTICES work")
	slices.Sort(names)
	if !slices.Equal(names, want) {
		t.Errorf("%s: files %q, want %q", &platform, names, want)
	}
}

func TestPrereleaseIsNotLatest(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	repository := strings.TrimPrefix(server.URL, "http://") + "/assetcook"
	if err := pushImage(distOf(t, "1.2.3-rc.1"), os.DevNull, repository); err != nil {
		t.Fatal(err)
	}
	at, err := name.NewRepository(repository)
	if err != nil {
		t.Fatal(err)
	}
	tags, err := remote.List(at)
	if err != nil || !slices.Equal(tags, []string{"1.2.3-rc.1"}) {
		t.Errorf("tags %q, %v", tags, err)
	}
}
