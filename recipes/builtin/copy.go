package builtin

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// Copy writes the source's bytes unchanged.
type Copy struct {
	PrivateKeys bool `toml:"private_keys" doc:"take a source that begins with a private key, which is refused otherwise"`
}

// copyStep is how many bytes are copied between two looks at the context. It
// is large because the kernel may copy or even share such a range by itself.
const copyStep = 16 << 20

// Outputs implements recipe.Cooker.
func (*Copy) Outputs() []string { return []string{"{path}"} }

// estimateMemory implements Traits.Estimate: a buffer, whatever the size.
func (*Copy) estimateMemory([]byte, int64) (int64, error) { return 64 << 10, nil }

// Cook implements recipe.Cooker.
func (c *Copy) Cook(ctx context.Context, job *recipe.Job) error {
	src, err := job.Open()
	if err != nil {
		return err
	}
	defer src.Close()
	if err := refusePrivateKey(src, c.PrivateKeys); err != nil {
		return err
	}
	dst, err := job.Create(0)
	if err != nil {
		return err
	}
	// Copy no more than the known size: a source that has grown is cooked again.
	for left := job.Size(); left > 0 && err == nil; left -= copyStep {
		if err = ctx.Err(); err == nil {
			_, err = io.CopyN(dst, src, min(left, copyStep))
		}
	}
	if err == io.EOF {
		err = nil
	}
	return errors.Join(err, dst.Close())
}

// refusePrivateKey returns an error if a file begins with a private key and letPass is false. It
// does not move the read position of the file.
func refusePrivateKey(src fs.File, letPass bool) error {
	at, ok := src.(io.ReaderAt)
	if letPass || !ok {
		return nil
	}
	var head [plaintext.PrivateKeyHead]byte
	n, err := at.ReadAt(head[:], 0)
	if err != nil && err != io.EOF {
		return err
	}
	return plaintext.RefusePrivateKey(head[:n])
}
