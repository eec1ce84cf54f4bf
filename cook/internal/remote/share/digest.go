package share

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/zeebo/blake3"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/regular"
)

// A Digest names a blob on the server.
type Digest = messages.Digest

// A Function is a digest function.
type Function uint8

const (
	SHA256 Function = iota
	BLAKE3          // also the hash function of blob IDs
)

func (f Function) String() string { return [...]string{"SHA-256", "BLAKE3"}[f] }

func (f Function) new() hash.Hash {
	if f == BLAKE3 {
		return blake3.New()
	}
	return sha256.New()
}

// Of returns the digest of a content.
func (f Function) Of(content []byte) Digest {
	h := f.new()
	h.Write(content)
	return Digest{Hash: hex.EncodeToString(h.Sum(nil)), Size: int64(len(content))}
}

// OfReader returns the digest of a reader's content.
func (f Function) OfReader(r io.Reader) (Digest, error) {
	h := f.new()
	n, err := io.Copy(h, r)
	return Digest{Hash: hex.EncodeToString(h.Sum(nil)), Size: n}, err
}

// blobDigest returns the server's digest of a blob.
func (s *sender) blobDigest(f Function, a store.Artifact) (Digest, error) {
	if f == BLAKE3 {
		return Digest{Hash: a.Blob.String(), Size: a.Size}, nil
	}
	r, err := s.store.OpenBlob(a.Blob, a.Size)
	if err != nil {
		return Digest{}, err
	}
	defer r.Close()
	d, err := f.OfReader(r)
	if err == nil && d.Size != a.Size {
		err = fmt.Errorf("%w: blob %s has %d bytes, want %d", store.ErrDamaged, a.Blob, d.Size, a.Size)
	}
	return d, err
}

// inputDigest returns the server's digest of an input file, and its content.
func (in *inputs) inputDigest(file *remote.File, f Function) (Digest, content, error) {
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
	d, err := digestOfFile(file, f)
	if err != nil {
		return Digest{}, content{}, err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.hashes[file.Blob] = d.Hash
	return d, content{file: file}, nil
}

// digestOfFile reads an input file, and returns the server's digest. It returns errInputChanged if
// the file is not the blob that the run has read.
func digestOfFile(file *remote.File, f Function) (Digest, error) {
	r, err := openInputFile(file, 0)
	if err != nil {
		return Digest{}, err
	}
	defer r.Close()
	blake := BLAKE3.new()
	d, err := f.OfReader(io.TeeReader(r, blake))
	if err == nil && (d.Size != file.Size || hashing.Digest(blake.Sum(nil)).String() != file.Blob) {
		err = errInputChanged
	}
	return d, err
}

// A content is an upload: a blob of the store, a message, or a file.
type content struct {
	artifact store.Artifact
	message  []byte       // nil unless the content is a message
	file     *remote.File // nil unless the content is a file
	damaged  bool         // set if the server's blob has other bytes
}

// openToSend opens a content for reading from an offset.
func (s *sender) openToSend(c content, offset int64) (io.ReadCloser, error) {
	if c.file != nil {
		return openInputFile(c.file, offset)
	}
	if c.message != nil {
		return io.NopCloser(bytes.NewReader(c.message[offset:])), nil
	}
	f, err := s.store.OpenBlob(c.artifact.Blob, c.artifact.Size)
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// readContent reads a small content and checks its size. If the content is a file, it also checks
// the digest.
func (s *sender) readContent(d Digest, c content) ([]byte, error) {
	r, err := s.openToSend(c, 0)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, d.Size))
	if c.file != nil && (err != nil || s.link.opening.server.Traits().Function.Of(data) != d) {
		return nil, errors.Join(err, errInputChanged)
	}
	if err != nil || int64(len(data)) != d.Size {
		return nil, fmt.Errorf("blob %s of the store: %w", d.Hash, errors.Join(err, store.ErrDamaged))
	}
	return data, nil
}

// openInputFile opens the file of an input for reading from an offset.
func openInputFile(file *remote.File, offset int64) (io.ReadCloser, error) {
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

// errInputChanged is the error of a file that changed after the run has read it.
var errInputChanged = errors.New("an input changed while it was being uploaded")
