// Package tools holds the verbs of cook that do not work on a project's assets: "cook pak", "cook
// events", "cook smoke", "cook id" and "cook remote".
package tools

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/cook/pak"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

const pakText = `usage: cook pak create [flags] FILE DIR
       cook pak list [flags] FILE [pattern ...]
       cook pak extract FILE DIR [pattern ...]
       cook pak verify [flags] FILE
       cook pak diff [flags] OLD NEW

Puts the files of a directory, such as an output directory, into one pak, which package cook/pak
reads in place. Also lists, extracts, verifies and compares the files of paks. An existing pak
is replaced; unchanged files keep their places in it. A patch has only the files that differ
from another pak, and the names of removed files; the diff of that pak and the patch lists the
files that the patch changes, adds and removes. Hidden files are not included.

Example:
	cook pak create game.pak cooked
	cook pak create -patch game.pak patch1.pak cooked
	openssl genpkey -algorithm ed25519 -out key.pem
	openssl pkey -in key.pem -pubout -out public.pem
	cook pak create -key key.pem game.pak cooked
	cook pak verify -key public.pem game.pak
`

// Pak is the verb "cook pak".
var Pak = cmdline.Verb{
	Name: "pak", Synopsis: "pak create|list|extract|verify|diff ...", Summary: "put files into one pak file, or read a pak", Text: pakText,
	Takes: cmdline.Argument{Words: pakVerbs, Files: true, Folders: true},
	New:   cmdline.HandlerOf((*pakOptions).pakFlags, (*pakOptions).runPak),
}

type pakOptions struct {
	patch, key     string
	level, workers int
	json           bool
	call           *cmdline.Call
}

func (r *pakOptions) pakFlags(fs *flag.FlagSet) {
	fs.StringVar(&r.patch, "patch", "", "create: write a patch for the pak in this `file`")
	fs.StringVar(&r.key, "key", "", "PEM `file` of an Ed25519 key; create: a private one to sign with; verify: a public one")
	fs.IntVar(&r.level, "level", 0, "create: compression level of zstd, 1 to 19; -1 stores files uncompressed (default 3)")
	fs.BoolVar(&r.json, "json", false, "list, diff: print each file as one line of JSON")
	cmdline.WorkerFlag(fs, &r.workers)
}

// pakVerbs returns the words that may follow "cook pak".
func pakVerbs() []string { return []string{"create", "list", "extract", "verify", "diff"} }

func (r *pakOptions) runPak(ctx context.Context, c *cmdline.Call, words []string) int {
	r.call = c
	do := map[string]func(context.Context, []string) (int, error){"create": r.createPak, "list": r.listPak, "extract": r.extractPak, "verify": r.verifyPak, "diff": r.diffPaks}
	if len(words) == 0 || do[words[0]] == nil {
		return c.Wrong("want one of %s; see cook help pak", strings.Join(pakVerbs(), ", "))
	}
	least := map[string]int{"create": 2, "list": 1, "extract": 2, "verify": 1, "diff": 2}[words[0]]
	takesMore := words[0] == "list" || words[0] == "extract"
	if n := len(words) - 1; n < least || n > least && !takesMore {
		return c.Wrong("cook pak %s wants %s, have %d; see cook help pak", words[0], human.Count(least, "word"), n)
	}
	if r.workers <= 0 {
		r.workers = runtime.GOMAXPROCS(0)
	}
	c.AtWork()
	code, err := do[words[0]](ctx, words[1:])
	if err != nil {
		return c.Fail(ctx, err)
	}
	return code
}

func (r *pakOptions) createPak(ctx context.Context, words []string) (int, error) {
	name, folder := words[0], words[1]
	files, err := filesIn(ctx, folder, name)
	if err != nil {
		return 0, err
	}
	opt := pak.Options{Previous: name, Level: r.level, Workers: r.workers}
	if r.key != "" {
		der, err := readPEM(r.key, "PRIVATE KEY", privatePrefix, ed25519.SeedSize)
		if err != nil {
			return 0, err
		}
		opt.Key = ed25519.NewKeyFromSeed(der)
	}
	if r.patch != "" {
		base, err := pak.Open(r.patch)
		if err != nil {
			return 0, err
		}
		defer base.Close()
		opt.Patches = base.Digest()
		if files, err = patchOf(base, files); err != nil {
			return 0, err
		}
	}
	stats, err := pak.Create(ctx, name, files, opt)
	if err != nil {
		return 0, err
	}
	line := fmt.Sprintf("cook: %s: %s, %s", pathname.Show(name), human.Count(stats.Files, "file"), human.Bytes(stats.Size))
	if stats.Kept > 0 {
		line += fmt.Sprintf("; %d unchanged, %s written", stats.Kept, human.Bytes(stats.Written))
	}
	fmt.Fprintln(r.call.Stdout, line)
	return frontend.OK, nil
}

// filesIn returns the files of a directory for a pak. The last argument is the name of a file to
// omit.
func filesIn(ctx context.Context, folder, but string) (files []pak.File, err error) {
	self, _ := os.Stat(but)
	err = filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		rel, err := filepath.Rel(folder, name)
		if err != nil || rel == "." {
			return err
		}
		hidden := strings.HasPrefix(d.Name(), ".") || d.Name() == "CACHEDIR.TAG"
		switch {
		case hidden && d.IsDir():
			return filepath.SkipDir
		case hidden || d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is not a regular file; a pak holds only regular files", pathname.Show(name))
		}
		if info, err := d.Info(); err == nil && self != nil && os.SameFile(info, self) {
			return nil
		}
		files = append(files, pak.File{Name: filepath.ToSlash(rel), Read: func() ([]byte, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			return os.ReadFile(name)
		}})
		return nil
	})
	return files, err
}

// patchOf compares files with a base pak. It returns the files that differ, and entries that delete
// files.
func patchOf(base *pak.Pak, files []pak.File) (patch []pak.File, err error) {
	there := map[string]bool{}
	for _, f := range files {
		there[f.Name] = true
		e, ok, err := base.Lookup(f.Name)
		if err != nil {
			return nil, err
		}
		if ok && !e.Gone {
			data, err := f.Read()
			if err != nil {
				return nil, err
			}
			if int64(len(data)) == e.Size && hashing.DigestOf(data) == e.Digest {
				continue
			}
		}
		patch = append(patch, f)
	}
	for e, err := range base.Entries() {
		if err != nil {
			return nil, err
		}
		if !e.Gone && !there[e.Name] {
			patch = append(patch, pak.File{Name: e.Name, Gone: true})
		}
	}
	return patch, nil
}

// These prefixes begin all Ed25519 keys in DER (RFC 8410). Private keys are in PKCS #8. Package
// x509 is not used because it imports package net.
const (
	privatePrefix = "\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20"
	publicPrefix  = "\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00"
)

func readPEM(name, kind, prefix string, size int) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != kind {
		return nil, fmt.Errorf("%s has no PEM block %q; openssl genpkey -algorithm ed25519 makes one", pathname.Show(name), kind)
	}
	key, ok := bytes.CutPrefix(block.Bytes, []byte(prefix))
	if !ok || len(key) != size {
		return nil, fmt.Errorf("%s is not an Ed25519 key", pathname.Show(name))
	}
	return key, nil
}

// chosenFiles returns the entries of a pak that match the patterns. Without patterns, it returns
// all entries.
func chosenFiles(p *pak.Pak, patterns []string) (list []pak.Entry, err error) {
	var match glob.List
	for _, text := range patterns {
		if err := match.Add(text); err != nil {
			return nil, err
		}
	}
	for e, err := range p.Entries() {
		if err != nil {
			return nil, err
		}
		if len(patterns) == 0 || match.Match(e.Name, path.Base(e.Name)) {
			list = append(list, e)
		}
	}
	if len(patterns) > 0 && len(list) == 0 {
		return nil, fmt.Errorf("no file of the pak matches %s", pathname.Show(strings.Join(patterns, ", ")))
	}
	return list, nil
}

// A packedFile is an entry of a pak in JSON.
type packedFile struct {
	Path       string `json:"path"`
	Bytes      int64  `json:"bytes"`
	Packed     int64  `json:"packed"`
	Offset     int64  `json:"offset"`
	Blob       string `json:"blob"` // BLAKE3 hash
	Compressed bool   `json:"compressed,omitempty"`
	Gone       bool   `json:"gone,omitempty"`
}

func (r *pakOptions) listPak(_ context.Context, words []string) (int, error) {
	p, err := pak.Open(words[0])
	if err != nil {
		return 0, err
	}
	defer p.Close()
	list, err := chosenFiles(p, words[1:])
	if err != nil {
		return 0, err
	}
	lines := json.NewEncoder(r.call.Stdout)
	for _, e := range list {
		switch {
		case r.json:
			lines.Encode(packedFile{e.Name, e.Size, e.Packed, e.Offset, e.Digest.String(), e.Compressed, e.Gone})
		case e.Gone:
			fmt.Fprintf(r.call.Stdout, "%10s  %10s  %s\n", "gone", "", pathname.Show(e.Name))
		default:
			fmt.Fprintf(r.call.Stdout, "%10s  %10s  %s\n", human.Bytes(e.Size), human.Bytes(e.Packed), pathname.Show(e.Name))
		}
	}
	return frontend.OK, nil
}

// extractPak writes files of a pak into a directory. Symbolic links in the directory cannot lead
// writes outside of it.
func (r *pakOptions) extractPak(ctx context.Context, words []string) (int, error) {
	p, err := pak.Open(words[0])
	if err != nil {
		return 0, err
	}
	defer p.Close()
	list, err := chosenFiles(p, words[2:])
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(words[1], 0o777); err != nil {
		return 0, err
	}
	root, err := os.OpenRoot(words[1])
	if err != nil {
		return 0, err
	}
	defer root.Close()
	list = slices.DeleteFunc(list, func(e pak.Entry) bool { return e.Gone })
	for _, e := range list {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		data, err := p.ReadVerified(e.Name)
		if err != nil {
			return 0, err
		}
		if dir := path.Dir(e.Name); dir != "." {
			if err := root.MkdirAll(filepath.FromSlash(dir), 0o777); err != nil {
				return 0, err
			}
		}
		if err := root.WriteFile(filepath.FromSlash(e.Name), data, 0o666); err != nil {
			return 0, err
		}
	}
	fmt.Fprintf(r.call.Stdout, "cook: %s written to %s\n", human.Count(len(list), "file"), pathname.Show(words[1]))
	return frontend.OK, nil
}

func (r *pakOptions) verifyPak(_ context.Context, words []string) (int, error) {
	p, err := pak.Open(words[0])
	if errors.Is(err, pak.ErrDamaged) {
		r.call.PrintError(err)
		return cmdline.Different, nil
	}
	if err != nil {
		return 0, err
	}
	defer p.Close()
	n := 0
	bad := func(err error) {
		n++
		r.call.PrintError(fmt.Errorf("%s: %w", pathname.Show(words[0]), err))
	}
	if r.key != "" {
		key, err := readPEM(r.key, "PUBLIC KEY", publicPrefix, ed25519.PublicKeySize)
		if err != nil {
			return 0, err
		}
		if err := p.VerifySignature(key); err != nil {
			bad(err)
		}
	}
	if err := p.Verify(bad); err != nil {
		return 0, err
	}
	if n > 0 {
		return cmdline.Different, nil
	}
	fmt.Fprintf(r.call.Stdout, "cook: verified %s\n", human.Count(p.Len(), "file"))
	return frontend.OK, nil
}

// A difference is a file that differs between two paks, in JSON.
type difference struct {
	Path string `json:"path"`
	Old  string `json:"old,omitempty"` // BLAKE3 hash
	New  string `json:"new,omitempty"`
}

// diffPaks prints the files that differ between two paks.
func (r *pakOptions) diffPaks(_ context.Context, words []string) (int, error) {
	var paks [2]*pak.Pak
	for i, name := range words {
		p, err := pak.Open(name)
		if err != nil {
			return 0, err
		}
		defer p.Close()
		paks[i] = p
	}
	code := frontend.OK
	lines := json.NewEncoder(r.call.Stdout)
	for d, err := range pak.Diff(paks[0], paks[1]) {
		if err != nil {
			return 0, err
		}
		code = cmdline.Different
		was, is := d.Old.Name != "" && !d.Old.Gone, d.New.Name != "" && !d.New.Gone
		line := difference{Path: d.New.Name}
		if line.Path == "" {
			line.Path = d.Old.Name
		}
		if was {
			line.Old = d.Old.Digest.String()
		}
		if is {
			line.New = d.New.Digest.String()
		}
		if r.json {
			lines.Encode(line)
			continue
		}
		what := "changed"
		if !was {
			what = "added"
		} else if !is {
			what = "removed"
		}
		fmt.Fprintf(r.call.Stdout, "%-8s %s\n", what, pathname.Show(line.Path))
	}
	return code, nil
}
