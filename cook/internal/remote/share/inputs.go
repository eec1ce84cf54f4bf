package share

import (
	"cmp"
	"context"
	"fmt"
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
)

// executionTime limits the execution of an action. It is the same for all actions, so that equal
// actions have equal digests.
const executionTime = 15 * time.Minute

// searchPath is the variable PATH on machines that execute actions.
const searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// An order is an action for another machine to execute, with its inputs.
type order struct {
	Digest
	contents map[Digest]content
}

// orderOf returns the order for the inputs in a root.
func (x *executions) orderOf(root *remote.Root, f Function) (o order, err error) {
	o.contents = map[Digest]content{}
	tree := folder{}
	for i := range root.Files {
		file := &root.Files[i]
		d, c, err := x.inputs.inputDigest(file, f)
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
	add := func(message any) Digest {
		encoded := messages.Marshal(message)
		d := f.Of(encoded)
		o.contents[d] = content{message: encoded}
		return d
	}
	platform := &messages.Platform{}
	for _, property := range slices.Sorted(slices.Values(x.platform)) {
		name, value, _ := strings.Cut(property, "=")
		platform.Properties = append(platform.Properties, messages.Property{Name: name, Value: value})
	}
	outputs := []string{path.Join(remote.OutDir, remote.RecordFile)}
	for i := range root.Outputs {
		outputs = append(outputs, path.Join(remote.OutDir, strconv.Itoa(i)))
	}
	slices.Sort(outputs)
	command := add(&messages.Command{
		Arguments:            []string{"./" + path.Clean(root.Files[0].Path), remote.RunAction},
		EnvironmentVariables: []messages.Property{{Name: "PATH", Value: searchPath}},
		OutputFiles:          outputs,
		Platform:             platform,
		OutputPaths:          outputs,
	})
	o.Digest = add(&messages.Action{
		CommandDigest: command, InputRootDigest: tree.encodeFolder(add), Timeout: messages.DurationOf(executionTime), Platform: platform,
	})
	return o, nil
}

// folder is a directory among the inputs.
type folder struct {
	files   map[string]*messages.FileNode
	folders map[string]*folder
}

// addNode adds a file at a path, or a directory if node is nil.
func (f *folder) addNode(name string, node *messages.FileNode) error {
	wrong := func() error { return fmt.Errorf("input %q: the path cannot be sent to a server", name) }
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

// encodeFolder passes all Directory messages of a tree to add, and returns the digest of the root.
func (f *folder) encodeFolder(add func(message any) Digest) Digest {
	d := &messages.Directory{}
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		d.Files = append(d.Files, *f.files[name])
	}
	for _, name := range slices.Sorted(maps.Keys(f.folders)) {
		d.Directories = append(d.Directories, messages.DirectoryNode{Name: name, Digest: f.folders[name].encodeFolder(add)})
	}
	return add(d)
}

// inputs caches the digests of input files, and records which inputs the server has.
type inputs struct {
	mu     sync.Mutex
	hashes map[string]string // digests by blob ID; unused if the server uses BLAKE3
	sent   map[Digest]*sending
}

// A sending is the running or finished upload of an input.
type sending struct {
	done chan struct{} // closed when err is known
	err  error
}

// provide uploads the inputs that the server lacks. Each input is uploaded once, even if several
// actions need it.
func (x *executions) provide(ctx context.Context, traits Traits, contents map[Digest]content) error {
	in := &x.inputs
	mine, others := map[Digest]content{}, map[Digest]*sending{}
	in.mu.Lock()
	for d, c := range contents {
		if there, ok := in.sent[d]; ok {
			others[d] = there
		} else {
			mine[d] = c
			in.sent[d] = &sending{done: make(chan struct{})}
		}
	}
	in.mu.Unlock()
	failed, err := x.blobs.uploadContents(ctx, traits, mine)
	for _, bad := range failed {
		err = cmp.Or(err, bad)
	}
	in.mu.Lock()
	for d := range mine {
		sent := in.sent[d]
		if sent.err = err; err != nil {
			delete(in.sent, d)
		}
		close(sent.done)
	}
	in.mu.Unlock()
	for _, there := range others {
		if <-there.done; there.err != nil {
			return there.err
		}
	}
	return err
}

// forgetSent forgets that some inputs were uploaded, so that provide checks again whether the
// server has them.
func (in *inputs) forgetSent(contents map[Digest]content) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for d := range contents {
		if there, ok := in.sent[d]; ok {
			select {
			case <-there.done:
				delete(in.sent, d)
			default:
			}
		}
	}
}
