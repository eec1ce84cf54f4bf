package assetcook

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// leadingPreposition matches comments such as "// by path", which do not name their noun.
var leadingPreposition = regexp.MustCompile(`^// *(?:of|by|from|with|without|at|on|in|for|to|which|as|its|it|per|since|between|besides|into) `)

// TestTrailingCommentsBeginWithTheirNoun refuses comments behind code such as "by path" instead of
// "assets by path".
func TestTrailingCommentsBeginWithTheirNoun(t *testing.T) {
	seen := 0
	check := func(name string, text []byte) {
		fset := token.NewFileSet()
		file := fset.AddFile(name, -1, len(text))
		var s scanner.Scanner
		s.Init(file, text, nil, scanner.ScanComments)
		for line := 0; ; {
			pos, tok, lit := s.Scan()
			at := fset.Position(pos)
			switch {
			case tok == token.EOF:
				return
			case tok == token.COMMENT && at.Line == line:
				seen++
				if leadingPreposition.MatchString(lit) {
					t.Errorf("%v: %q: begin with the noun", at, lit)
				}
			case tok != token.SEMICOLON || lit == ";": // ignore semicolons that the scanner inserts at line ends
				line = at.Line + strings.Count(lit, "\n")
			}
		}
	}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || len(d.Name()) > 1 && d.Name()[0] == '.'):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		text, err := os.ReadFile(name)
		check(name, text)
		return err
	})
	if err != nil || seen < 1000 {
		t.Errorf("%d comments seen, %v", seen, err)
	}
}
