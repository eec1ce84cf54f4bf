// Package process implements the process that connects to a server with shared results. A run
// starts the process with its first request or upload. "cook remote check" also uses the package,
// to test a server.
package process

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote/reapi"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/cook/internal/remote/webcache"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/texttable"
	"github.com/assetcook/assetcook/profile/guid"
)

// Serve answers the requests of a run on stdin until stdin ends, and returns the exit status.
func Serve(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("serve-remote", flag.ContinueOnError)
	fs.SetOutput(stderr)
	var way way
	way.registerFlags(fs)
	fs.BoolVar(&way.patient, "patient", false, "wait until the server has answered or failed")
	dir := fs.String("store", "", "`directory` of the store")
	if fs.Parse(args) != nil {
		return 2
	}
	if *dir == "" || fs.NArg() > 0 {
		fmt.Fprintln(stderr, "cook: serve-remote is for runs of cook, which start it; use cook -remote")
		return 2
	}
	if way.run == "" {
		way.run = guid.New().String()
	}
	signal.Ignore(os.Interrupt) // the run handles the signal, and ends this process by closing stdin
	err := rules.CheckRemote(way.url)
	if err == nil {
		err = serveRun(ctx, &way, *dir, stdin, stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "cook: %s: %v\n", way.url, err)
		return 1
	}
	return 0
}

// Check tests the server given by args, the arguments of [Serve], and prints a table of its
// capabilities.
func Check(ctx context.Context, args []string, stdout io.Writer) error {
	fs := flag.NewFlagSet("remote check", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	var way way
	way.registerFlags(fs)
	if err := fs.Parse(args); err != nil {
		return err
	}
	if way.run == "" {
		way.run = guid.New().String()
	}
	err := rules.CheckRemote(way.url)
	if err == nil {
		err = checkServer(ctx, &way, stdout)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", way.url, err)
	}
	return nil
}

// serveRun serves one run.
func serveRun(ctx context.Context, w *way, dir string, in io.Reader, out io.Writer) error {
	s, err := store.Open(dir)
	if err != nil {
		return err
	}
	keys, wrong := w.readSigningKeys()
	open := func(ctx context.Context) (share.Server, error) {
		if wrong != nil {
			return nil, wrong // answers every request with an error
		}
		return w.connectToServer(ctx)
	}
	host, _ := os.Hostname()
	host = strings.ToValidUTF8(host, "\ufffd") // json.Marshal replaces invalid bytes in the same way
	where := hashing.DigestOf([]byte(w.url)).String()[:16]
	return share.Serve(ctx, in, out, share.Options{
		Store: s, Open: open, Name: w.url, Run: w.run, Host: host, Keys: keys, Patient: w.patient, Pending: filepath.Join(s.Dir(), "v1", "uploads-"+where),
		Platform: w.platform,
	})
}

// A way has the address, the credentials and the settings for one server.
type way struct {
	url, ca, cert, key, token, basic string
	project                          string // the cook.toml that chooses url; "" if the user chooses the server
	sign, run                        string
	trust, platform                  []string
	patient                          bool
}

func (w *way) registerFlags(fs *flag.FlagSet) {
	fs.StringVar(&w.url, "url", "", "`address` of the server: grpc[s]://HOST:PORT/INSTANCE or http[s]://HOST/PREFIX")
	fs.StringVar(&w.project, "project", "", "`file` cook.toml that chooses the address; secrets of the environment are sent only to the hosts in $"+hostsVar)
	fs.StringVar(&w.ca, "ca", "", "`file` of the certificates that sign the server's certificate")
	fs.StringVar(&w.cert, "cert", "", "`file` of the client certificate, if the server requires one")
	fs.StringVar(&w.key, "key", "", "`file` of the key of the client certificate")
	fs.StringVar(&w.token, "token-file", "", "`file` with a bearer token (default: $COOK_REMOTE_TOKEN)")
	fs.Func("platform", "`KEY=VALUE`, a property that machines must have to cook; may be given several times", func(property string) error {
		w.platform = append(w.platform, property)
		return nil
	})
	fs.StringVar(&w.sign, "sign-key", "", "`file` of the key that signs results")
	fs.Func("trust", "`file` of a public key; results signed with it are accepted; may be given several times", func(file string) error {
		w.trust = append(w.trust, file)
		return nil
	})
	fs.StringVar(&w.run, "run", "", "`ID` of the run that is served")
	fs.StringVar(&w.basic, "basic-file", "", "`file` with user:password (default: $COOK_REMOTE_BASIC)")
}

// connectToServer opens a connection to the server at url.
func (w *way) connectToServer(ctx context.Context) (share.Server, error) {
	address, err := url.Parse(w.url)
	if err != nil {
		return nil, err
	}
	if err := w.checkSecretHost(address); err != nil {
		return nil, err
	}
	authorization, err := w.authorization()
	if err != nil {
		return nil, err
	}
	tls, err := w.tls()
	if err != nil {
		return nil, err
	}
	if authorization != "" && (address.Scheme == "grpc" || address.Scheme == "http") && !isLoopback(address.Hostname()) {
		return nil, fmt.Errorf("credentials are not sent without encryption; use %ss://", address.Scheme)
	}
	if address.Scheme == "http" || address.Scheme == "https" {
		return webcache.Open(ctx, address, webcache.Options{TLS: tls, Authorization: authorization})
	}
	return reapi.Open(ctx, address, reapi.Options{TLS: tls, Authorization: authorization, Invocation: w.run})
}

// openTimeout limits how long a check waits for the server.
const openTimeout = 5 * time.Second

// Limits of a check: number of look-ups, bytes written and read back, and total time.
const (
	checkLooks = 20
	checkBytes = 8 << 20
	checkTime  = 30 * time.Second
)

// checkServer tests a server, and prints the results.
func checkServer(ctx context.Context, w *way, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	table := texttable.New(out, texttable.Left)
	defer table.Flush()
	row := func(name, format string, args ...any) {
		table.Row(name, fmt.Sprintf(format, args...))
	}

	keys, err := w.readSigningKeys()
	if err != nil {
		return err
	}
	opening, stop := context.WithTimeout(ctx, openTimeout)
	defer stop()
	begin := time.Now()
	server, err := w.connectToServer(opening)
	if err != nil {
		return err
	}
	defer server.Close()
	row("reached", "in %s", human.Duration(time.Since(begin)))
	t := server.Traits()
	row("digests", "%v", t.Function)
	row("batches", "%s", human.Bytes(t.Batch))
	if len(t.Compressors) > 0 {
		row("compresses", "%s", strings.Join(t.Compressors, ", "))
	}
	row("executes", "%s", map[bool]string{true: "actions", false: "nothing"}[t.Executes])

	if keys.Sign != nil {
		row("signs", "key %s", share.Fingerprint(keys.Sign.Public().(ed25519.PublicKey)))
	}
	for _, key := range keys.Trust {
		row("trusts", "key %s", share.Fingerprint(key))
	}

	latency, err := checkLatency(ctx, server)
	if err != nil {
		return fmt.Errorf("cannot look up a result: %w", err)
	}
	row("a look-up", "%s (median of %d)", human.Duration(latency), checkLooks)
	if clock, ok := server.(interface{ Ahead() (time.Duration, bool) }); ok {
		if ahead, ok := clock.Ahead(); ok && ahead.Abs() > time.Minute {
			row("clock", "differs by %s: results may expire too early or too late", human.Duration(ahead.Abs()))
		} else if ok {
			row("clock", "agrees")
		}
	}
	if !t.Uploads {
		row("uploads", "no: the server accepts no results from this machine")
		return nil
	}
	return checkRoundTrip(ctx, server, row)
}

// checkLatency measures the latency of looking up results that do not exist.
func checkLatency(ctx context.Context, server share.Server) (time.Duration, error) {
	var took []time.Duration
	for range checkLooks {
		key := make([]byte, 32)
		rand.Read(key)
		begin := time.Now()
		_, err := server.Result(ctx, server.Traits().Function.Of(key))
		if err != nil && !errors.Is(err, share.ErrMissing) {
			return 0, err
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

// checkRoundTrip writes a blob that nothing refers to and reads it back.
func checkRoundTrip(ctx context.Context, server share.Server, row func(name, format string, args ...any)) error {
	blob := make([]byte, checkBytes)
	rand.Read(blob)
	d := server.Traits().Function.Of(blob)
	begin := time.Now()
	err := server.Write(ctx, d, func(offset int64) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(blob[offset:])), nil
	})
	if errors.Is(err, share.ErrRefused) || errors.Is(err, share.ErrFull) {
		row("uploads", "no: %v", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot write a blob of %s: %w", human.Bytes(checkBytes), err)
	}
	row("uploads", "%s/s", human.Bytes(int64(checkBytes/time.Since(begin).Seconds())))
	begin = time.Now()
	r, err := server.Read(ctx, d)
	if err == nil {
		defer r.Close()
		var back []byte
		if back, err = io.ReadAll(io.LimitReader(r, checkBytes+1)); err == nil && !bytes.Equal(back, blob) {
			err = errors.New("the downloaded blob differs from the uploaded blob")
		}
	}
	if err != nil {
		return fmt.Errorf("cannot read a blob of %s: %w", human.Bytes(checkBytes), err)
	}
	row("downloads", "%s/s", human.Bytes(int64(checkBytes/time.Since(begin).Seconds())))
	return nil
}
