package share

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A SnapshotName identifies a snapshot on a server.
type SnapshotName struct {
	Ref    string // name that the publisher chose, such as a commit or a branch
	Target string // target whose files the snapshot has; "" for all targets
}

// A Snapshot is a tree of files that a server has under a name.
type Snapshot struct {
	Files  []SnapshotFile // sorted by path
	Origin store.Origin   // publisher; Key is "" if the snapshot is not signed
}

// OriginOf returns the origin of a result. said is the origin in the snapshot, which may be invalid.
func (s *Snapshot) OriginOf(said store.Origin) store.Origin {
	o := (maker{said.Run, said.Host, said.At}).validOrigin(&messages.ActionResult{})
	if o.IsZero() {
		o.Host = s.Origin.Host
	}
	o.Server, o.Key = s.Origin.Server, s.Origin.Key
	return o
}

// A SnapshotFile is a file of a snapshot.
type SnapshotFile struct {
	Path   string // slash-separated path below the root of the snapshot
	Digest Digest // the server's digest
}

// A snapshotRecord is the JSON in stdout_raw of the ActionResult of a snapshot.
type snapshotRecord struct {
	Format    int    `json:"assetcookSnapshot"`
	Made      maker  `json:"made,omitzero"`
	Key       []byte `json:"key,omitempty"` // public key for Signature
	Signature []byte `json:"signature,omitempty"`
}

const snapshotFormat = 1

// MaxTree limits the size of a Tree, and of other blobs of a snapshot that are held in memory. A Tree
// has about 100 bytes for each file.
const MaxTree = 1 << 30

// ErrNoSnapshot means that the server has no snapshot with this name.
var ErrNoSnapshot = errors.New("the server has no snapshot")

// errSnapshotWrong is the error of an invalid snapshot.
var errSnapshotWrong = errors.New("the server's snapshot is wrong")

// snapshotAction returns the action that identifies the entry of a snapshot.
func (n SnapshotName) snapshotAction(f Function) action {
	h := hashing.NewKey("assetcook snapshot 1")
	h.String("ref", n.Ref)
	h.String("target", n.Target)
	id := h.Sum()
	return saltedAction("snapshot", id[:], f)
}

// encodeSnapshotTree returns the Tree message for files, and its digest.
func (f *folder) encodeSnapshotTree(function Function) (Digest, []byte) {
	var tree messages.Tree
	seen := map[Digest]bool{}
	f.encodeFolder(func(message any) Digest {
		d := function.Of(messages.Marshal(message))
		tree.Root = *message.(*messages.Directory) // the root comes last
		if !seen[d] {
			seen[d] = true
			tree.Children = append(tree.Children, tree.Root)
		}
		return d
	})
	tree.Children = tree.Children[:len(tree.Children)-1]
	encoded := messages.Marshal(&tree)
	return function.Of(encoded), encoded
}

// decodeSnapshotTree returns the files of an encoded Tree, sorted by path. It fails for a tree that is much
// larger than its encoding, because equal directories may be nested.
func decodeSnapshotTree(encoded []byte, function Function) ([]SnapshotFile, error) {
	var tree messages.Tree
	if err := messages.Unmarshal(encoded, &tree); err != nil {
		return nil, err
	}
	folders := make(map[Digest]*messages.Directory, len(tree.Children))
	for i := range tree.Children {
		folders[function.Of(messages.Marshal(&tree.Children[i]))] = &tree.Children[i]
	}
	w := treeWalk{folders: folders, left: 1 + len(encoded)}
	if err := w.addSnapshotFolder("", &tree.Root); err != nil {
		return nil, err
	}
	slices.SortFunc(w.files, func(a, b SnapshotFile) int { return strings.Compare(a.Path, b.Path) })
	for i := range w.files[:max(0, len(w.files)-1)] {
		if w.files[i].Path == w.files[i+1].Path {
			return nil, fmt.Errorf("it lists %s twice", pathname.Show(w.files[i].Path))
		}
	}
	return w.files, nil
}

// TreeBlobs returns the digests of the files in an encoded Tree.
func TreeBlobs(encoded []byte, function Function) ([]Digest, error) {
	files, err := decodeSnapshotTree(encoded, function)
	digests := make([]Digest, len(files))
	for i, f := range files {
		digests[i] = f.Digest
	}
	return digests, err
}

// A treeWalk collects the files of a Tree.
type treeWalk struct {
	folders map[Digest]*messages.Directory
	left    int // number of further entries that are accepted
	files   []SnapshotFile
}

// addSnapshotFolder adds the files of a directory and its subdirectories.
func (w *treeWalk) addSnapshotFolder(at string, d *messages.Directory) error {
	if w.left -= 1 + len(d.Files); w.left < 0 {
		return errors.New("it has more files than its size permits")
	}
	for _, f := range d.Files {
		if !isTreeName(f.Name) || f.Digest.Size < 0 {
			return fmt.Errorf("it lists the invalid file %.200q", f.Name)
		}
		w.files = append(w.files, SnapshotFile{path.Join(at, f.Name), f.Digest})
	}
	for _, sub := range d.Directories {
		below, ok := w.folders[sub.Digest]
		if !isTreeName(sub.Name) || !ok {
			return fmt.Errorf("it lists the invalid directory %.200q", sub.Name)
		}
		if err := w.addSnapshotFolder(path.Join(at, sub.Name), below); err != nil {
			return err
		}
	}
	return nil
}

// isTreeName reports whether a name in a Tree can be one part of a path.
func isTreeName(name string) bool {
	return name != "" && name != "." && name != ".." && len(name) < 256 && !strings.ContainsAny(name, "/\\\x00")
}

// encodeSnapshot returns the message for a snapshot, signed unless the private key is nil.
func encodeSnapshot(name SnapshotName, tree Digest, made maker, private ed25519.PrivateKey) (*messages.ActionResult, error) {
	rec := snapshotRecord{Format: snapshotFormat, Made: made}
	if private != nil {
		rec.Key = private.Public().(ed25519.PublicKey)
		rec.Signature = ed25519.Sign(private, rec.signedSnapshot(name, tree))
	}
	text, err := json.Marshal(rec)
	return &messages.ActionResult{
		OutputDirectories: []messages.OutputDirectory{{TreeDigest: tree}},
		StdoutRaw:         text,
		ExecutionMetadata: messages.ExecutionMetadata{Worker: made.Host},
	}, err
}

// decodeSnapshot returns the digest of a snapshot's Tree, and the publisher.
func decodeSnapshot(name SnapshotName, ar *messages.ActionResult) (tree Digest, signer ed25519.PublicKey, origin store.Origin, err error) {
	var rec snapshotRecord
	switch err := json.Unmarshal(ar.StdoutRaw, &rec); {
	case len(ar.StdoutRaw) > maxRecord:
		return tree, nil, origin, fmt.Errorf("%w: its record has %d bytes", errSnapshotWrong, len(ar.StdoutRaw))
	case err != nil:
		return tree, nil, origin, fmt.Errorf("%w: %w", errSnapshotWrong, err)
	case rec.Format != snapshotFormat:
		return tree, nil, origin, fmt.Errorf("its record has format %d, and this program reads %d; use the version of cook that published it", rec.Format, snapshotFormat)
	case len(ar.OutputDirectories) != 1:
		return tree, nil, origin, fmt.Errorf("%w: it has %d trees", errSnapshotWrong, len(ar.OutputDirectories))
	}
	tree = ar.OutputDirectories[0].TreeDigest
	if key := ed25519.PublicKey(rec.Key); len(key) == ed25519.PublicKeySize && ed25519.Verify(key, rec.signedSnapshot(name, tree), rec.Signature) {
		signer = key
	}
	origin = rec.Made.validOrigin(ar)
	origin.Key = Fingerprint(signer)
	return tree, signer, origin, nil
}

// signedSnapshot returns the message to sign for a snapshot. It contains the name, so that the
// signature is not valid under another name.
func (r *snapshotRecord) signedSnapshot(name SnapshotName, tree Digest) []byte {
	h := hashing.NewKey("assetcook snapshot signature 1")
	h.String("ref", name.Ref)
	h.String("target", name.Target)
	h.String("tree", tree.Hash)
	h.Int64("size", tree.Size)
	h.String("run", r.Made.Run)
	h.String("host", r.Made.Host)
	h.String("at", r.Made.At.UTC().Format(time.RFC3339Nano))
	sum := h.Sum()
	return append([]byte("assetcook snapshot\n"), sum[:]...)
}

// FindSnapshot finds a snapshot. The error wraps ErrNoSnapshot if the server does not have it.
func (c *Carrier) FindSnapshot(ctx context.Context, name SnapshotName) (*Snapshot, error) {
	server, err := c.openedServer(ctx)
	if err != nil {
		return nil, err
	}
	function := server.Traits().Function
	var ar *messages.ActionResult
	err = c.callRetryingNamed(ctx, call{how: wholeRun, do: func(ctx context.Context, server Server) (err error) {
		ar, err = server.Result(ctx, name.snapshotAction(function).Digest)
		return err
	}})
	if errors.Is(err, ErrMissing) {
		return nil, c.explainFailure(ErrNoSnapshot)
	}
	if err != nil {
		return nil, err
	}
	tree, signer, origin, err := decodeSnapshot(name, ar)
	if err == nil && !c.keys.trustsSigner(signer) {
		err = errors.New("no trusted key signed the snapshot, so the snapshot is not accepted")
	}
	if err != nil {
		return nil, c.explainFailure(err)
	}
	encoded, err := c.ReadContents(ctx, []Digest{tree})
	if errors.Is(err, ErrMissing) {
		return nil, c.explainFailure(errors.New("the server no longer has the list of files of the snapshot; publish the snapshot again"))
	}
	if err != nil {
		return nil, err
	}
	files, err := decodeSnapshotTree(encoded[0], function)
	if err != nil {
		return nil, c.explainFailure(fmt.Errorf("%w: %w", errSnapshotWrong, err))
	}
	origin.Server = c.server
	return &Snapshot{files, origin}, nil
}
