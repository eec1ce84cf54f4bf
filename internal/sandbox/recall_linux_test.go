//go:build amd64 || arm64

package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tools are commands that read files of recallTree; the program is the first word.
var tools = []string{
	"cat a.txt sub/b.txt gone", "head -1 a.txt", "tail -1 a.txt", "tac a.txt", "wc a.txt", "sort a.txt", "uniq a.txt", "cut -c1 a.txt", "paste a.txt sub/b.txt",
	"join a.txt sub/b.txt", "comm a.txt sub/b.txt", "nl a.txt", "fold a.txt", "fmt a.txt", "od a.txt", "expand a.txt", "shuf a.txt", "split a.txt W/x", "csplit -f W/y a.txt 1",
	"cksum a.txt", "md5sum a.txt", "sha256sum sub/b.txt", "b2sum a.txt", "base64 a.txt", "cp a.txt W/copy", "cp -r sub W/sub", "install a.txt W/installed", "dd if=a.txt of=/dev/null",
	"ls", "ls -la sub", "ls -R", "du -a", "stat a.txt gone", "readlink -f sub/b.txt", "realpath sub/../a.txt", "test -e gone", "basename a.txt",
	"find .", "find sub -name *.txt", "grep -r needle .", "grep needle a.txt gone", "sed -n 1p a.txt", "awk {print} a.txt", "xargs -a a.txt echo", "tr a b", "tee W/t",
	"diff a.txt sub/b.txt", "diff -r sub other", "cmp a.txt sub/b.txt", "diff3 a.txt sub/b.txt a.txt", "sdiff a.txt sub/b.txt", "patch --dry-run a.txt empty",
	"tar cf W/t.tar sub a.txt", "gzip -k -c a.txt", "bzip2 -k -c a.txt", "xz -k -c a.txt", "zstd -q -c a.txt", "zip -q W/z.zip a.txt sub/b.txt", "cpio -o", "ar rc W/a.a a.txt",
	"file a.txt sub/b.txt", "strings a.txt", "xxd a.txt", "hexdump a.txt", "iconv -f utf8 -t latin1 a.txt",
	"python3 m.py", "python3 -c import\tpkg.mod", "perl p.pl", "perl -ne print a.txt", "make -n -f Makefile", "m4 a.m4", "bc -q b.bc", "dc -f b.dc",
	"cpp -I inc c.c", "gcc -I inc -E c.c", "gcc -I inc -c c.c -o W/c.o", "g++ -I inc -c c.c -o W/d.o", "as s.s -o W/s.o", "ld -r W/c.o -o W/e.o", "objdump -h W/c.o",
	"git hash-object a.txt", "openssl dgst a.txt", "xmllint x.xml", "xsltproc x.xsl x.xml", "jq . j.json", "sqlite3 :memory: .read\tq.sql", "lua l.lua", "ruby r.rb", "node n.js", "php h.php",
	"glslangValidator -V s.frag -o W/s.spv", "convert i.ppm W/i.png", "identify i.ppm", "ffmpeg -v error -i w.wav W/w.flac", "sox w.wav W/w.aiff", "astcenc -version", "rsvg-convert v.svg", "pandoc a.txt", "fc-scan a.txt",
	"pr a.txt", "rev a.txt", "tsort a.txt", "ptx a.txt", "sum a.txt", "sha1sum a.txt", "sha512sum a.txt", "unexpand a.txt", "ctags -o W/tags c.c", "tclsh t.tcl", "msgfmt -o W/m.mo m.po",
	"xgettext -o W/x.pot c.c", "gdb -nx -batch -x g.gdb", "lz4 -q -c a.txt",
	"sh s.sh", "bash -c source\ts2.sh", "dash s.sh", "env cat a.txt", "nice cat a.txt", "timeout 5 cat a.txt", "nohup cat a.txt", "setsid -w cat a.txt", "xargs -n1 cat", "busybox cat a.txt",
}

var recallTree = map[string]string{
	"a.txt": "needle\n", "sub/b.txt": "needle\nb\n", "sub/deep/c.txt": "c\n", "other/b.txt": "x\n", "empty": "",
	"m.py": "import sys\nsys.path.insert(0, '.')\nimport pkg.mod, glob\nopen('a.txt').read()\nprint(glob.glob('sub/*'))\n", "pkg/__init__.py": "", "pkg/mod.py": "import json\n",
	"p.pl": "open F, 'a.txt'; print <F>; print -e 'gone'; print <sub/*>;", "Makefile": "all: a.txt gone.h\n\tcat a.txt\ngone.h:\n\ttrue\n-include none.mk\n", "a.m4": "include(`a.txt')\nsinclude(`gone.m4')\n",
	"b.bc": "1+1\nquit\n", "b.dc": "1 2 + p\n", "c.c": "#include \"h.h\"\nint x = Y;\n", "inc/h.h": "#define Y 1\n#if __has_include(\"gone.h\")\n#endif\n", "s.s": ".include \"s.inc\"\n", "s.inc": "nop\n",
	"x.xml": "<a/>", "x.xsl": `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:include href="y.xsl"/></xsl:stylesheet>`,
	"y.xsl": `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"/>`, "j.json": "{}", "q.sql": "select 1;", "l.lua": "dofile('l2.lua')", "l2.lua": "print(1)",
	"r.rb": "require './r2'", "r2.rb": "", "n.js": "require('./n2')", "n2.js": "", "h.php": "<?php include 'h2.php';", "h2.php": "",
	"s.frag": "#version 450\nvoid main() {}\n", "i.ppm": "P3 1 1 255 1 2 3\n", "v.svg": "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>",
	"t.tcl": "source t2.tcl\nfile exists gone\nglob -nocomplain sub/*\n", "t2.tcl": "", "m.po": "msgid \"a\"\nmsgstr \"b\"\n", "g.gdb": "source g2.gdb\n", "g2.gdb": "",
	"s.sh": "for f in sub/*; do test -f \"$f\" && cat \"$f\"; done; . ./s2.sh; cd sub && cat ../a.txt deep/c.txt\n", "s2.sh": "cat gone 2>/dev/null; [ -d other ] && echo yes\n",
	"w.wav": "RIFF\x26\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x02\x00\x00\x00\x00\x00",
}

// The trace must record every access that strace sees. The test runs many programs.
func TestTraceSeesWhatStraceSees(t *testing.T) {
	needBox(t)
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip(err)
	}
	p := newPlace(t)
	for name, text := range recallTree {
		if err := os.MkdirAll(filepath.Dir(p.in+"/"+name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p.in+"/"+name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", p.w)
	t.Setenv("TMPDIR", p.w)
	ran, compared := 0, 0
	for _, tool := range tools {
		argv := strings.Split(strings.ReplaceAll(tool, "W/", p.w+"/"), " ")
		for i := range argv {
			argv[i] = strings.ReplaceAll(argv[i], "\t", " ")
		}
		program, err := exec.LookPath(argv[0])
		if real, linkErr := filepath.EvalSymlinks(program); err != nil || linkErr != nil || !OfSystem(real) || isBelowFolder("/usr/local", program) {
			continue // the program may be a wrapper, which may start any other program
		}
		want := straced(t, p, argv)
		quoted := make([]string, len(argv))
		for i, a := range argv {
			quoted[i] = "'" + a + "'"
		}
		_, seen := traced(t, p, strings.Join(quoted, " ")+" >/dev/null 2>&1 </dev/null; true")
		names := map[string]bool{}
		for _, s := range seen {
			_, name, _ := strings.Cut(s, " ")
			names[name] = true
		}
		ran++
		for _, name := range want {
			compared++
			if !names[name] {
				t.Errorf("%s: %s is not recorded; recorded are %q", tool, name, seen)
			}
		}
	}
	t.Logf("%d programs, %d accesses", ran, compared)
}

var fileCall = regexp.MustCompile(`^(?:\d+ +)?(open|openat|openat2|stat|lstat|newfstatat|statx|access|faccessat|faccessat2|readlink|readlinkat)\((?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"([^"]*)"`)

// straced returns the paths below p.in that strace sees a program access, relative to p.in.
func straced(t *testing.T, p place, argv []string) []string {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	cmd := exec.Command("strace", append([]string{"-f", "-y", "-qq", "-s", "4096", "-e", "trace=%file", "-o", log}, argv...)...)
	cmd.Dir = p.in
	cmd.Run()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	moved := strings.Contains(string(text), "chdir(") // the log does not say which process has which working directory
	found := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		m := fileCall.FindStringSubmatch(line)
		if m == nil || m[3] == "" || strings.Contains(line, "O_WRONLY") || strings.Contains(line, "O_RDWR") || strings.Contains(m[3], "\\") {
			continue
		}
		name := m[3]
		if !filepath.IsAbs(name) {
			if m[2] == "" && moved {
				continue
			} else if m[2] == "" {
				m[2] = p.in
			}
			name = filepath.Join(m[2], name)
		}
		if rel, err := filepath.Rel(p.in, name); err == nil && filepath.IsLocal(rel) && rel != "." {
			found[rel] = true
		}
	}
	var list []string
	for name := range found {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
