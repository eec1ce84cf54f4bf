package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/ctxio"
)

// zstdOptions are the options of the recipe "zstd", which compresses the source into one
// Zstandard frame (RFC 8878) with the content's size and checksum. The window is at most 8 MiB,
// which the RFC asks every decoder to support.
//
// The bytes depend on the version of the encoder. If a new version changes them, the golden
// checksum test fails, and the recipe's version must be raised.
type zstdOptions struct {
	Level       int  `toml:"level" min:"1" max:"19" doc:"compression level of the zstd program; the encoder has four levels: 1-2, 3-5, 6-9 and 10-19"`
	PrivateKeys bool `toml:"private_keys" doc:"accept a source that begins with a private key; otherwise such a source is an error"`
}

const (
	zstdMaxWindow = 8 << 20
	// zstdMinWindow is the smallest window. A smaller window would save no memory.
	zstdMinWindow = 512 << 10
)

// Outputs implements recipe.Cooker.
func (*zstdOptions) Outputs() []string { return []string{"{path}.zst"} }

// estimateMemory implements Traits.Estimate.
func (z *zstdOptions) estimateMemory(_ []byte, size int64) (int64, error) {
	// The encoder keeps two windows of history. The level sets the size of its tables and
	// block buffers.
	tables := int64(3 << 20)
	switch zstd.EncoderLevelFromZstd(z.Level) {
	case zstd.SpeedBetterCompression:
		tables = 8 << 20
	case zstd.SpeedBestCompression:
		tables = 40 << 20
	}
	return tables + 2*int64(zstdWindow(size)), nil
}

// Cook implements recipe.Cooker.
func (z *zstdOptions) Cook(ctx context.Context, job *recipe.Job) error {
	src, err := job.Open()
	if err != nil {
		return err
	}
	defer src.Close()
	if err := refusePrivateKey(src, z.PrivateKeys); err != nil {
		return err
	}
	info, err := src.Stat()
	if err != nil {
		return err
	}
	dst, err := job.Create(0)
	if err != nil {
		return err
	}
	return errors.Join(z.compressStream(dst, ctxio.Reader(ctx, src), info.Size()), dst.Close())
}

func (z *zstdOptions) compressStream(dst io.Writer, src io.Reader, size int64) error {
	kind := encoderKind{zstd.EncoderLevelFromZstd(z.Level), zstdWindow(size)}
	enc, err := kind.encoder()
	if err != nil {
		return err
	}
	enc.ResetContentSize(dst, size)
	n, err := enc.ReadFrom(src)
	if err != nil {
		return err
	}
	if n != size {
		return fmt.Errorf("the file changed from %d to %d bytes while it was read", size, n)
	}
	if size == 0 {
		// A frame of unknown length would not store the size.
		_, err = dst.Write(enc.EncodeAll(nil, nil))
	} else {
		err = enc.Close()
	}
	if err == nil {
		kind.reuseEncoder(enc)
	}
	return err
}

// An encoderKind holds the settings of an encoder. Encoders with equal settings produce the same
// bytes.
type encoderKind struct {
	level  zstd.EncoderLevel
	window int // window size in bytes
}

// encoders maps each encoderKind to a *sync.Pool of idle encoders. For each small file, allocating
// 3 MB of tables and windows would take longer than compressing it.
var encoders sync.Map

func (k encoderKind) encoder() (*zstd.Encoder, error) {
	if pool, ok := encoders.Load(k); ok {
		if enc, ok := pool.(*sync.Pool).Get().(*zstd.Encoder); ok {
			return enc, nil
		}
	}
	return zstd.NewWriter(nil,
		zstd.WithEncoderLevel(k.level),
		zstd.WithWindowSize(k.window),
		// With higher concurrency, the bytes would depend on the number of cores.
		zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(true),
		// Without this option, a frame of less than 256 bytes would not store its size.
		zstd.WithSingleSegment(true),
	)
}

// reuseEncoder keeps an encoder for another file. The encoder's last frame must be complete.
func (k encoderKind) reuseEncoder(enc *zstd.Encoder) {
	enc.Reset(nil) // release the file
	pool, _ := encoders.LoadOrStore(k, new(sync.Pool))
	pool.(*sync.Pool).Put(enc)
}

// zstdWindow returns the smallest power of two, within limits, that is at least the size of the
// content. A larger window would waste memory.
func zstdWindow(size int64) int {
	if size >= zstdMaxWindow {
		return zstdMaxWindow
	}
	return max(zstdMinWindow, 1<<bits.Len64(uint64(max(size, 1)-1)))
}
