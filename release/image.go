package main

import (
	"archive/tar"
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// programs are the files for one platform of an image.
type programs struct {
	platform v1.Platform
	files    map[string]string // paths by file name in the image
}

// A release is the output of GoReleaser.
type release struct {
	Version string
	linux   []programs
}

// readRelease reads the programs for Linux in dist, which is a directory of GoReleaser. The listed
// paths are relative to the directory above dist.
func readRelease(dist string) (release, error) {
	var r release
	if err := readManifest(filepath.Join(dist, "metadata.json"), &r); err != nil {
		return r, err
	}
	var artifacts []struct {
		Name, Path, Goos, Goarch, Goarm, Type string
	}
	if err := readManifest(filepath.Join(dist, "artifacts.json"), &artifacts); err != nil {
		return r, err
	}
	at := map[string]int{}
	for _, a := range artifacts {
		if a.Type != "Binary" || a.Goos != "linux" {
			continue
		}
		platform := v1.Platform{OS: "linux", Architecture: a.Goarch}
		if a.Goarm != "" {
			platform.Variant = "v" + a.Goarm
		}
		i, ok := at[platform.String()]
		if !ok {
			i = len(r.linux)
			at[platform.String()] = i
			r.linux = append(r.linux, programs{platform, map[string]string{}})
		}
		r.linux[i].files[a.Name] = filepath.Join(dist, "..", a.Path)
	}
	if len(r.linux) == 0 {
		return r, fmt.Errorf("%s has no programs for Linux", dist)
	}
	// GoReleaser lists its targets in a random order.
	slices.SortFunc(r.linux, func(a, b programs) int { return strings.Compare(a.platform.String(), b.platform.String()) })
	return r, nil
}

func readManifest(file string, v any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// makeImage returns a container image for each Linux platform. An image has the two programs, the
// certificates of well-known authorities, the notices, and nothing else. All times are the time of
// the commit, so that the same commit makes the same image.
func makeImage(r release, notices []byte) (v1.ImageIndex, error) {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range r.linux {
		image, err := imageFor(p, r.Version, notices)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", &p.platform, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &p.platform}})
	}
	return index, nil
}

func imageFor(p programs, version string, notices []byte) (v1.Image, error) {
	if p.files["cook"] == "" || p.files["hashsum"] == "" {
		return nil, errors.New("cook or hashsum is missing")
	}
	revision, built, err := commitOf(p.files["cook"])
	if err != nil {
		return nil, err
	}
	data, err := fileSystem(p, built, notices)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data)), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err = mutate.Append(image, mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: built}, CreatedBy: "release image"}})
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Variant = p.platform.OS, p.platform.Architecture, p.platform.Variant
	config.Created = v1.Time{Time: built}
	config.Config = v1.Config{
		Entrypoint: []string{"/usr/bin/cook"},
		WorkingDir: "/work",
		Env:        []string{"PATH=/usr/bin", "COOKCACHE=/cache"},
		Labels: map[string]string{
			"org.opencontainers.image.source":   "https://" + ourModule,
			"org.opencontainers.image.version":  version,
			"org.opencontainers.image.revision": revision,
			"org.opencontainers.image.licenses": "MIT",
		},
	}
	return mutate.ConfigFile(image, config)
}

// commitOf returns the commit that a program was built from, and the commit's time.
func commitOf(program string) (revision string, at time.Time, err error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return "", at, err
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.time":
			if at, err = time.Parse(time.RFC3339, s.Value); err != nil {
				return "", at, fmt.Errorf("%s: vcs.time: %w", program, err)
			}
		}
	}
	if revision == "" || at.IsZero() {
		return "", at, fmt.Errorf("%s does not record its commit; build it with -buildvcs=true", program)
	}
	return revision, at.UTC(), nil
}

// fileSystem returns the files of an image as a tar archive. Every user may write to /cache and
// /tmp, because containers run as the user who owns the assets.
func fileSystem(p programs, modified time.Time, notices []byte) ([]byte, error) {
	type file struct {
		name string
		mode int64
		data []byte
	}
	files := []file{
		{"cache/", 0o1777, nil},
		{"etc/ssl/certs/ca-certificates.crt", 0o644, certificates()},
		{"tmp/", 0o1777, nil},
	}
	for _, name := range []string{"cook", "hashsum"} {
		data, err := os.ReadFile(p.files[name])
		if err != nil {
			return nil, err
		}
		files = append(files, file{"usr/bin/" + name, 0o755, data})
	}
	files = append(files, file{"usr/share/doc/assetcook/NOTICES", 0o644, notices}, file{"work/", 0o755, nil})

	var out bytes.Buffer
	w := tar.NewWriter(&out)
	made := map[string]bool{}
	for _, f := range files {
		// A file's directories precede the file in the archive.
		for i, c := range f.name {
			folder := f.name[:i+1]
			if c != '/' || folder == f.name || made[folder] {
				continue
			}
			made[folder] = true
			if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: folder, Mode: 0o755, ModTime: modified}); err != nil {
				return nil, err
			}
		}
		header := tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: modified}
		if strings.HasSuffix(f.name, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(&header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// certificates returns the certificate authorities that Mozilla trusts without constraints, as PEM.
func certificates() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})
		}
	}
	return out.Bytes()
}

// writeImage writes the image of a release to dir, in the OCI image layout. The image's name is the
// version.
func writeImage(dist, notices, dir string) error {
	r, index, err := imageOfRelease(dist, notices)
	if err != nil {
		return err
	}
	to, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	return to.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": r.Version}))
}

// pushImage pushes the image of a release to a repository, with the version as its tag. Unless the
// version is a prerelease, it also sets the tag latest. It uses the credentials of docker login.
func pushImage(dist, notices, repository string) error {
	r, index, err := imageOfRelease(dist, notices)
	if err != nil {
		return err
	}
	tags := []string{r.Version}
	if !strings.Contains(r.Version, "-") {
		tags = append(tags, "latest")
	}
	for _, tag := range tags {
		to, err := name.NewTag(repository + ":" + tag)
		if err != nil {
			return err
		}
		if err := remote.WriteIndex(to, index, remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
			return err
		}
	}
	return nil
}

func imageOfRelease(dist, noticesFile string) (r release, index v1.ImageIndex, err error) {
	if r, err = readRelease(dist); err != nil {
		return r, nil, err
	}
	notices, err := os.ReadFile(noticesFile)
	if err != nil {
		return r, nil, err
	}
	index, err = makeImage(r, notices)
	return r, index, err
}
