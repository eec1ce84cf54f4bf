package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// marked is a part of a page made by chart, with its flags.
var marked = regexp.MustCompile(`(?s)<!-- chart ([^\n]*) -->\n(.*?)<!-- chart end -->\n`)

// fillPages rewrites the pages and the files named by their marks.
func fillPages(pages []string, benchmarks []byte) error {
	for _, page := range pages {
		files, err := filledPage(page, benchmarks)
		if err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
		for name, content := range files {
			if err := os.WriteFile(name, content, 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

// filledPage returns the new content of a page and of the files named by its marks.
func filledPage(page string, benchmarks []byte) (files map[string][]byte, err error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return nil, err
	}
	parts := marked.FindAllSubmatchIndex(text, -1)
	if len(parts) == 0 || strings.Count(string(text), "<!-- chart ") != 2*len(parts) {
		return nil, errors.New("no pairs of lines <!-- chart FLAGS --> and <!-- chart end -->")
	}
	files = map[string][]byte{}
	var filled []byte
	copied := 0
	for _, part := range parts {
		args, shown := string(text[part[2]:part[3]]), text[part[4]:part[5]]
		name, made, err := renderMark(args, benchmarks)
		if err != nil {
			return nil, fmt.Errorf("<!-- chart %s -->: %w", args, err)
		}
		if name != "" {
			files[filepath.Join(filepath.Dir(page), name)] = made
		} else {
			shown = append([]byte("\n"), made...)
			shown = append(shown, '\n')
		}
		filled = append(append(filled, text[copied:part[4]]...), shown...)
		copied = part[5]
	}
	files[page] = append(filled, text[copied:]...)
	return files, nil
}

// renderMark returns the output for the flags of a mark, and its -out.
func renderMark(args string, benchmarks []byte) (name string, made []byte, err error) {
	var o output
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	o.addFlags(flags)
	if err := flags.Parse(strings.Fields(args)); err != nil {
		return "", nil, err
	}
	if flags.NArg() > 0 {
		return "", nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	made, err = o.render(benchmarks)
	return o.file, made, err
}
