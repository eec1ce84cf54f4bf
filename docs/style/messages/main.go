// Command messages writes the messages of a program as pages that a prose linter can read:
//
//	go run ./docs/style/messages DIR
//
// For each Go file of the module, it writes DIR/FILE.md with the string literals of at least three
// words. Each literal has the same line number as in the Go file. Tests, proofs and benchmarks are
// left out.
package main

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: messages DIR")
		os.Exit(2)
	}
	if err := writePages(".", os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "messages:", err)
		os.Exit(1)
	}
}

// writePages writes a page to dir for each Go file below root that has messages.
func writePages(root, dir string) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "proof" || d.Name() == "bench" || len(d.Name()) > 1 && d.Name()[0] == '.'):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		page := messagesOf(text)
		if page == "" {
			return nil
		}
		to := filepath.Join(dir, name+".md")
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		return os.WriteFile(to, []byte(page), 0o666)
	})
}

// messagesOf returns the messages of a Go file, each on the line of its literal. It returns "" if
// there are no messages.
func messagesOf(source []byte) string {
	var page strings.Builder
	var s scanner.Scanner
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(source))
	s.Init(file, source, nil, 0)
	line := 1
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return page.String()
		}
		if tok != token.STRING {
			continue
		}
		text, err := strconv.Unquote(literal)
		if err != nil || len(strings.Fields(text)) < 3 || strings.HasPrefix(strings.TrimSpace(text), "<") {
			continue
		}
		for at := file.Line(pos); line < at; line++ {
			page.WriteByte('\n')
		}
		line += strings.Count(text, "\n")
		page.WriteString(text + " ")
	}
}
