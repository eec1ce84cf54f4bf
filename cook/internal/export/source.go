package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Source is a set of files for an engine: the outputs in a manifest, and the manifest itself.
type Source struct {
	from   *confine.Dir // nil if the files come from elsewhere
	origin Origin       // zero if the files are in a directory
	files  map[string]content
	lists  []manifest.File
	// Targets are the targets in the manifest, sorted; "" is the unnamed target.
	Targets []string
}

// An Origin provides files that are not in an output directory.
type Origin struct {
	// Read returns a file of the manifest.
	Read func(name string) ([]byte, error)
	// Fetch is called once, before anything changes, with the files that the copy lacks.
	Fetch func(context.Context, []File) error
	// Open opens a file for reading. Fetch was called with it.
	Open func(File) (*os.File, error)
}

// A File is a file of a Source.
type File struct {
	Path   string
	Size   int64
	BLAKE3 hashing.Digest
}

// FromOrigin returns a source with the manifest and the files of an origin.
func FromOrigin(o Origin) (*Source, error) {
	assets, lists, err := readManifest(o.Read)
	if err != nil {
		return nil, err
	}
	return &Source{origin: o, files: filesOf(assets, lists), lists: lists, Targets: targetsOf(assets)}, nil
}

// Artifacts returns the artifacts, sorted by path, without the files of the manifest.
func (s *Source) Artifacts() (all []File) {
	for _, name := range s.artifactNames() {
		all = append(all, s.artifactOf(name))
	}
	return all
}

// Manifest returns the files of the manifest.
func (s *Source) Manifest() []manifest.File { return s.lists }

// NameOf returns the name of an artifact in the output directory.
func (s *Source) NameOf(path string) string {
	return filepath.Join(s.from.Name(), filepath.FromSlash(path))
}

func (s *Source) artifactOf(name string) File {
	return File{name, s.files[name].size, s.files[name].digest}
}

// artifactNames returns the paths of the artifacts, sorted.
func (s *Source) artifactNames() []string {
	names := slices.Sorted(maps.Keys(s.files))
	return slices.DeleteFunc(names, func(name string) bool { return name == manifest.Name || manifest.IsPart(name) })
}

// fetchFromOrigin makes artifacts available to openArtifact.
func (s *Source) fetchFromOrigin(ctx context.Context, missing []File) error {
	if s.from != nil {
		return nil
	}
	return s.origin.Fetch(ctx, missing)
}

// openArtifact opens an artifact for reading.
func (s *Source) openArtifact(name string) (*os.File, error) {
	if s.from == nil {
		return s.origin.Open(s.artifactOf(name))
	}
	f, err := s.from.OpenFile(name)
	if err != nil {
		err = fmt.Errorf("%s: %w; cook the assets again", pathname.Show(name), err)
	}
	return f, err
}

// Open reads the manifest of an output directory. If target is not "", the source has only the
// outputs of this target, with paths relative to the directory of the target, so exports of all
// targets have the same paths. If target is "", the source keeps the layout of the manifest.
func Open(out, target string, layout manifest.Layout) (*Source, error) {
	from, err := confine.Open(out)
	if err != nil {
		return nil, fmt.Errorf("output directory: %w; cook the assets first", err)
	}
	assets, lists, err := readManifest(inDir(from))
	if err == nil {
		s := &Source{from: from, lists: lists, Targets: targetsOf(assets)}
		present := layoutOf(lists)
		if layout == "" {
			layout = present
		}
		switch {
		case target != "":
			err = s.narrowTo(target, assets, layout)
		case layout != present:
			err = s.listAssets(assets, layout)
		default:
			s.files = filesOf(assets, lists)
		}
		if err == nil {
			return s, nil
		}
	}
	from.Close()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no %s; %s", pathname.Show(out), manifest.Name, adviceFor(out))
	}
	return nil, err
}

// adviceFor returns the remedy for an output directory without a manifest. The
// directory may belong to a target.
func adviceFor(out string) string {
	abs, err := filepath.Abs(out)
	if err != nil {
		return adviceToCook
	}
	above, err := Open(filepath.Dir(abs), filepath.Base(abs), "")
	if err != nil {
		return adviceToCook
	}
	above.Close()
	name := pathname.Show(filepath.Base(abs))
	return fmt.Sprintf("this directory has the outputs of the target %s; export the target %s from the directory above it, %s", name, name, pathname.Show(pathname.FromHere(filepath.Dir(abs))))
}

const adviceToCook = "cook the assets first"

// listAssets makes a new manifest of some assets.
func (s *Source) listAssets(assets []manifest.Asset, layout manifest.Layout) error {
	s.lists = nil
	err := manifest.Build(layout, slices.Values(assets), func(f manifest.File) error { s.lists = append(s.lists, f); return nil })
	s.files = filesOf(assets, s.lists)
	return err
}

// narrowTo keeps only the assets of one target.
func (s *Source) narrowTo(target string, assets []manifest.Asset, layout manifest.Layout) error {
	assets, err := narrowAssets(s.from.Name(), target, assets)
	if err != nil {
		return err
	}
	if err := s.listAssets(assets, layout); err != nil {
		return err
	}
	if len(s.files) == len(s.lists) {
		return nil // the target has no outputs, and perhaps no directory
	}
	folder, err := s.from.Sub(target)
	if err != nil {
		return fmt.Errorf("%w; cook the assets again", err)
	}
	s.from.Close()
	s.from = folder
	return nil
}

// Close releases the output directory.
func (s *Source) Close() error {
	if s.from == nil {
		return nil
	}
	return s.from.Close()
}

// inDir returns a function that reads a file in a directory.
func inDir(dir *confine.Dir) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) { return readRegularFile(dir, name) }
}

// readManifest returns the assets that a manifest lists, and the files of the manifest itself: its
// parts, then its root. The function read returns the content of such a file.
func readManifest(read func(name string) ([]byte, error)) (assets []manifest.Asset, lists []manifest.File, err error) {
	load := func(name string) ([]byte, error) {
		data, err := read(name)
		if err == nil {
			lists = append(lists, manifest.File{Name: name, Data: data})
		}
		return data, err
	}
	root, err := read(manifest.Name)
	if err != nil {
		return nil, nil, err
	}
	for a, err := range manifest.Read(root, load) {
		if err != nil {
			return nil, nil, err
		}
		assets = append(assets, a)
	}
	return assets, append(lists, manifest.File{Name: manifest.Name, Data: root}), nil
}

// filesOf returns the contents of the outputs of assets and of a manifest's own files, by path.
func filesOf(assets []manifest.Asset, lists []manifest.File) map[string]content {
	files := map[string]content{}
	for _, a := range assets {
		for _, o := range a.Outputs {
			files[o.Path] = content{o.Size, o.BLAKE3}
		}
	}
	for _, l := range lists {
		files[l.Name] = content{int64(len(l.Data)), hashing.DigestOf(l.Data)}
	}
	return files
}

func readRegularFile(dir *confine.Dir, name string) ([]byte, error) {
	f, err := dir.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

func sumSizes(files map[string]content) (bytes int64) {
	for _, c := range files {
		bytes += c.size
	}
	return bytes
}

// modeOf returns the permissions for the copy of an artifact.
func (s *Source) modeOf(artifact *os.File) (fs.FileMode, error) {
	if s.from == nil {
		return 0o666, nil
	}
	info, err := artifact.Stat()
	if err != nil {
		return 0, err
	}
	return info.Mode().Perm(), nil
}
