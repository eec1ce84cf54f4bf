package share

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/regular"
)

// executionTime limits the execution of an action. It is the same for all, so that equal actions
// have equal digests.
const executionTime = 15 * time.Minute

// searchPath is PATH on machines that execute actions.
const searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// errInputChanged says that a file changed after the run has read it.
var errInputChanged = errors.New("an input changed while it was being uploaded")

// An order is an action to be executed by another machine, with its inputs.
type order struct {
	Digest
	contents map[Digest]content
}

// orderOf returns the order for a root.
func (s *sharer) orderOf(root *remote.Root, f Function) (o order, err error) {
	o.contents = map[Digest]content{}
	tree := folder{}
	for i := range root.Files {
		file := &root.Files[i]
		d, c, err := s.runs.inputs.digest(file, f)
		if err != nil {
			return o, fmt.Errorf("input %q: %w", file.Path, err)
		}
		o.contents[d] = c
		if err := tree.addNode(file.Path, &messages.FileNode{Digest: d, IsExecutable: file.Executable}); err != nil {
			return o, err
		}
	}
	for _, name := range root.Folders {
		if err := tree.addNode(name, nil); err != nil {
			return o, err
		}
	}
	say := func(message any) Digest {
		encoded := messages.Marshal(message)
		d := f.Of(encoded)
		o.contents[d] = content{message: encoded}
		return d
	}
	platform := &messages.Platform{}
	for _, property := range slices.Sorted(slices.Values(s.Platform)) {
		name, value, _ := strings.Cut(property, "=")
		platform.Properties = append(platform.Properties, messages.Property{Name: name, Value: value})
	}
	outputs := []string{path.Join(remote.OutDir, remote.RecordFile)}
	for i := range root.Outputs {
		outputs = append(outputs, path.Join(remote.OutDir, strconv.Itoa(i)))
	}
	slices.Sort(outputs)
	command := say(&messages.Command{
		Arguments:            []string{"./" + path.Clean(root.Files[0].Path), remote.RunAction},
		EnvironmentVariables: []messages.Property{{Name: "PATH", Value: searchPath}},
		OutputFiles:          outputs,
		Platform:             platform,
		OutputPaths:          outputs,
	})
	o.Digest = say(&messages.Action{
		CommandDigest: command, InputRootDigest: tree.encode(say), Timeout: messages.DurationOf(executionTime), Platform: platform,
	})
	return o, nil
}

// A directory is a directory of an input root.
type folder struct {
	files   map[string]*messages.FileNode
	folders map[string]*folder
}

// addNode adds a file at a path, or a directory if node is nil.
func (f *folder) addNode(name string, node *messages.FileNode) error {
	wrong := func() error { return fmt.Errorf("input %q: no path that can be sent", name) }
	first, rest, deeper := strings.Cut(name, "/")
	if first == "" || first == "." || first == ".." || !utf8.ValidString(name) {
		return wrong()
	}
	if !deeper && node != nil {
		if f.folders[first] != nil || f.files[first] != nil {
			return wrong()
		}
		if f.files == nil {
			f.files = map[string]*messages.FileNode{}
		}
		node.Name = first
		f.files[first] = node
		return nil
	}
	if f.files[first] != nil {
		return wrong()
	}
	if f.folders == nil {
		f.folders = map[string]*folder{}
	}
	below := f.folders[first]
	if below == nil {
		below = &folder{}
		f.folders[first] = below
	}
	if !deeper {
		return nil
	}
	return below.addNode(rest, node)
}

// encode passes all Directory messages of a tree to say, and returns the digest of the root.
func (f *folder) encode(say func(message any) Digest) Digest {
	d := &messages.Directory{}
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		d.Files = append(d.Files, *f.files[name])
	}
	for _, name := range slices.Sorted(maps.Keys(f.folders)) {
		d.Directories = append(d.Directories, messages.DirectoryNode{Name: name, Digest: f.folders[name].encode(say)})
	}
	return say(d)
}

// inputs caches the digests of input files, and which inputs the server has.
type inputs struct {
	mu     sync.Mutex
	hashes map[string]string // by blob, if the server's digest function differs
	sent   map[Digest]*sending
}

// A sending is an upload of an input, in flight or finished.
type sending struct {
	done chan struct{} // closed when err is known
	err  error
}

// digest returns the server's digest of a file.
func (in *inputs) digest(file *remote.File, f Function) (Digest, content, error) {
	switch {
	case file.From == "":
		return f.Of(file.Text), content{message: file.Text}, nil
	case f == BLAKE3:
		return Digest{Hash: file.Blob, Size: file.Size}, content{file: file}, nil
	}
	in.mu.Lock()
	known, ok := in.hashes[file.Blob]
	in.mu.Unlock()
	if ok {
		return Digest{Hash: known, Size: file.Size}, content{file: file}, nil
	}
	r, err := openInput(file, 0)
	if err != nil {
		return Digest{}, content{}, err
	}
	defer r.Close()
	blake := BLAKE3.new()
	d, err := f.OfReader(io.TeeReader(r, blake))
	if err == nil && (d.Size != file.Size || hashing.Digest(blake.Sum(nil)).String() != file.Blob) {
		err = errInputChanged
	}
	if err != nil {
		return Digest{}, content{}, err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.hashes[file.Blob] = d.Hash
	return d, content{file: file}, nil
}

// openInput opens the file of an input at an offset.
func openInput(file *remote.File, offset int64) (io.ReadCloser, error) {
	f, err := regular.Open(file.From)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() != file.Size {
		err = errInputChanged
	}
	if err == nil {
		_, err = f.Seek(offset, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
