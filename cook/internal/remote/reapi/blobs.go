package reapi

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strconv"

	"connectrpc.com/connect"
	"github.com/klauspost/compress/zstd"

	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
)

func (s *server) ReadSmall(ctx context.Context, digests []share.Digest, each func(int, []byte, error)) error {
	if s.noBatchRead.Load() {
		return share.ReadEach(ctx, s, digests, each)
	}
	request := &messages.BatchReadBlobsRequest{InstanceName: s.instance, Digests: digests, DigestFunction: s.function}
	if s.zstd {
		request.AcceptableCompressors = []messages.Compressor{messages.Zstd}
	}
	r, err := callServer(ctx, s.calls.batchReadBlobs, request)
	if isUnimplemented(err) {
		s.noBatchRead.Store(true)
		return share.ReadEach(ctx, s, digests, each)
	}
	if err != nil {
		return err
	}
	places := map[share.Digest][]int{}
	for i, d := range digests {
		places[d] = append(places[d], i)
	}
	for _, blob := range r.Responses {
		content, err := blob.Data, statusError(blob.Status)
		if err == nil {
			content, err = unpackBlob(blob.Data, blob.Compressor, blob.Digest.Size)
		}
		for _, i := range places[blob.Digest] {
			each(i, content, err)
		}
	}
	return nil
}

// unpackBlob decompresses a blob of the given size.
func unpackBlob(data []byte, how messages.Compressor, size int64) ([]byte, error) {
	switch how {
	case messages.Identity:
		return data, nil
	case messages.Zstd:
		d, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(size)+1<<20))
		if err != nil {
			return nil, err
		}
		defer d.Close()
		return io.ReadAll(io.LimitReader(d, size+1))
	}
	return nil, fmt.Errorf("the server compressed a blob with %v, which cook did not request", how)
}

func (s *server) WriteSmall(ctx context.Context, digests []share.Digest, contents [][]byte) error {
	if s.noBatchWrite.Load() {
		return share.WriteEach(ctx, s, digests, contents)
	}
	request := &messages.BatchUpdateBlobsRequest{InstanceName: s.instance, DigestFunction: s.function}
	for i, d := range digests {
		request.Requests = append(request.Requests, messages.BlobUpdate{Digest: d, Data: contents[i]})
	}
	r, err := callServer(ctx, s.calls.batchUpdateBlobs, request)
	if isUnimplemented(err) {
		s.noBatchWrite.Store(true)
		return share.WriteEach(ctx, s, digests, contents)
	}
	if err != nil {
		return err
	}
	for _, blob := range r.Responses {
		if err := statusError(blob.Status); err != nil {
			return err
		}
	}
	return nil
}

// blobResource returns the ByteStream resource name of a blob.
func (s *server) blobResource(d share.Digest, compressed bool) string {
	name := "blobs/"
	if compressed {
		name = "compressed-blobs/zstd/"
	}
	if s.function == messages.BLAKE3 {
		name += "blake3/"
	}
	return name + d.Hash + "/" + strconv.FormatInt(d.Size, 10)
}

// inInstance prefixes a resource with the instance.
func (s *server) inInstance(name string) string {
	if s.instance == "" {
		return name
	}
	return s.instance + "/" + name
}

// resumes is the number of broken connections after which the transfer of a blob continues.
const resumes = 3

// packsAt is the minimum size of a blob that is sent compressed.
const packsAt = 64 << 10

func (s *server) Read(ctx context.Context, d share.Digest) (io.ReadCloser, error) {
	compressed := s.zstd && d.Size >= packsAt
	ctx, cancel := context.WithCancel(ctx)
	r := &reader{s: s, ctx: ctx, cancel: cancel, name: s.inInstance(s.blobResource(d, compressed)), left: d.Size, resumable: !compressed}
	if err := r.openStream(); err != nil {
		cancel()
		return nil, err
	}
	if !compressed {
		return r, nil
	}
	unpacker, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		cancel()
		return nil, err
	}
	return &unpacking{unpacker.IOReadCloser(), r}, nil
}

// An unpacking is a reader of a compressed blob.
type unpacking struct {
	io.ReadCloser
	under *reader
}

func (u *unpacking) Close() error {
	u.ReadCloser.Close()
	return u.under.Close()
}

// A reader reads a blob. After a broken connection, it continues at the same offset.
type reader struct {
	s         *server
	ctx       context.Context
	cancel    context.CancelFunc
	name      string
	offset    int64
	left      int64 // number of uncompressed bytes still to read
	resumable bool
	resumed   int
	stream    *connect.ServerStreamForClient[messages.ReadResponse]
	data      []byte // bytes received but not yet read
}

func (r *reader) openStream() (err error) {
	r.stream, err = r.s.calls.read.CallServerStream(r.ctx, connect.NewRequest(&messages.ReadRequest{ResourceName: r.name, ReadOffset: r.offset}))
	if err = errorOfCall(err); err == nil && r.offset == 0 && r.data == nil { // the first message shows whether the blob is missing
		err = r.receiveChunk()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (r *reader) receiveChunk() error {
	if !r.stream.Receive() {
		return cmp.Or(errorOfCall(r.stream.Err()), io.EOF)
	}
	r.data = r.stream.Msg().Data
	return nil
}

func (r *reader) Read(p []byte) (int, error) {
	for len(r.data) == 0 {
		if r.resumable && r.left <= 0 {
			return 0, io.EOF
		}
		err := r.receiveChunk()
		if errors.Is(err, share.ErrUnavailable) && r.resumable && r.resumed < resumes && r.ctx.Err() == nil {
			r.resumed++
			if err = r.openStream(); err != nil {
				return 0, err
			}
			continue
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, r.data)
	r.data = r.data[n:]
	r.offset += int64(n)
	r.left -= int64(n)
	return n, nil
}

func (r *reader) Close() error {
	r.cancel()
	return nil
}

func (s *server) Write(ctx context.Context, d share.Digest, open func(offset int64) (io.ReadCloser, error)) error {
	var id [16]byte
	rand.Read(id[:])
	uuid := fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
	compressed := s.zstd && d.Size >= packsAt
	name := s.inInstance("uploads/" + uuid + "/" + s.blobResource(d, compressed))
	offset := int64(0)
	for try := 0; ; try++ {
		err := s.writeFrom(ctx, name, d, offset, compressed, open)
		if err == nil || !errors.Is(err, share.ErrUnavailable) || compressed || try == resumes || ctx.Err() != nil {
			return err
		}
		st, statusErr := callServer(ctx, s.calls.queryWriteStatus, &messages.QueryWriteStatusRequest{ResourceName: name})
		if statusErr != nil {
			return err
		}
		if st.Complete {
			return nil
		}
		offset = min(max(st.CommittedSize, 0), d.Size)
	}
}

// writeFrom writes a blob from an offset.
func (s *server) writeFrom(ctx context.Context, name string, d share.Digest, offset int64, compressed bool, open func(int64) (io.ReadCloser, error)) error {
	from, err := open(offset)
	if err != nil {
		return err
	}
	defer from.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream := s.calls.write.CallClientStream(ctx)
	w := &writer{stream: stream, name: name, offset: offset}
	if compressed {
		packer, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		if _, err = io.Copy(packer, from); err == nil {
			err = packer.Close()
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	} else if _, err = io.CopyBuffer(w, onlyReader{from}, make([]byte, chunk)); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := w.finishWrite(); err != nil && !errors.Is(err, io.EOF) {
		return errorOfCall(err)
	}
	_, err = stream.CloseAndReceive() // the error of the server, if it stopped reading early
	return errorOfCall(err)
}

const chunk = 256 << 10

// onlyReader hides the file's WriteTo method, so that the server gets chunks of equal size.
type onlyReader struct{ io.Reader }

// A writer sends a blob in messages. It delays each message until the next one, because the last
// message must be marked.
type writer struct {
	stream *connect.ClientStreamForClient[messages.WriteRequest, messages.WriteResponse]
	name   string
	offset int64
	held   []byte
}

func (w *writer) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if len(w.held) == chunk {
			if err := w.sendChunk(false); err != nil {
				return 0, err
			}
		}
		k := min(chunk-len(w.held), len(p))
		w.held, p = append(w.held, p[:k]...), p[k:]
	}
	return n, nil
}

func (w *writer) finishWrite() error { return w.sendChunk(true) }

func (w *writer) sendChunk(last bool) error {
	err := w.stream.Send(&messages.WriteRequest{ResourceName: w.name, WriteOffset: w.offset, Data: w.held, FinishWrite: last})
	w.offset += int64(len(w.held))
	w.held = w.held[:0]
	return err
}
