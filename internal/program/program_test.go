package program

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInterpreter(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it has none")
	}
	for head, want := range map[string]string{
		"#!/bin/sh\necho\n":                     "/bin/sh",
		"#! /bin/sh -e\n":                       "/bin/sh",
		"#!/bin/sh":                             "/bin/sh",
		"#!/usr/bin/env python3\n":              "python3",
		"#!/usr/bin/env -S python3 -O\n":        "python3",
		"#!/usr/bin/env -Spython3\n":            "python3",
		"#!/usr/bin/env -i A=1 sh\n":            "sh",
		"#!/usr/bin/env\n":                      "/usr/bin/env",
		"#!\n":                                  "",
		"#!":                                    "",
		"#":                                     "",
		"":                                      "",
		"#!/" + strings.Repeat("x", 1<<20):      "/" + strings.Repeat("x", longestLine-3),
		"\x7fELF":                               "",
		"\x7fELF" + strings.Repeat("\xff", 500): "",
		"MZ" + strings.Repeat("\x00", longestLine*2): "",
	} {
		file := filepath.Join(t.TempDir(), "p")
		write(t, file, []byte(head))
		got, err := Of(file, ThisMachine)
		if d := cmp.Diff(Parts{Interpreter: want}, got); d != "" || err != nil {
			t.Errorf("%.40q: %v %s", head, err, d)
		}
	}
	if _, err := Of(filepath.Join(t.TempDir(), "none"), ThisMachine); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Of(t.TempDir(), ThisMachine); err == nil {
		t.Error("a directory: no error")
	}
}

// TestLibrariesAreThoseOfTheLoader compares the libraries of this machine's programs with the
// output of ldd.
func TestLibrariesAreThoseOfTheLoader(t *testing.T) {
	ldd, err := exec.LookPath("ldd")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("there is no ldd")
	}
	programs, _ := filepath.Glob("/usr/bin/*")
	asked, brought := 0, 0
	for i, step := 0, max(1, len(programs)/40); i < len(programs); i += step {
		parts, err := Of(programs[i], ThisMachine)
		if err != nil || len(parts.Machine) == 0 {
			continue
		}
		real, err := filepath.EvalSymlinks(programs[i]) // resolve links, because ldd does not know the target directory of a link
		if err != nil {
			continue
		}
		text, err := exec.Command(ldd, real).Output()
		if err != nil {
			continue
		}
		got := parts.Machine
		for _, file := range parts.Libraries {
			got = append(got, name(filepath.Base(file), file))
			brought++
		}
		got = slices.DeleteFunc(got, isLoader) // ldd lists the loader at another position
		slices.Sort(got)
		if d := cmp.Diff(loaded(string(text)), got); d != "" {
			t.Errorf("%s: -ldd +got:\n%s", programs[i], d)
		}
		asked++
	}
	if t.Logf("%d programs, %d libraries of their own", asked, brought); asked == 0 {
		t.Error("no program was compared")
	}
}

// loaded returns the libraries in the output of ldd, without the loader and the library of the
// kernel.
func loaded(ldd string) []string {
	var names []string
	for line := range strings.Lines(ldd) {
		words := strings.Fields(line)
		if len(words) < 3 || words[1] != "=>" || isLoader(filepath.Base(words[0])) {
			continue
		}
		file := words[2]
		if file == "not" { // ldd prints "not found"
			file = ""
		}
		names = append(names, name(words[0], file))
	}
	slices.Sort(names)
	return names
}

func isLoader(library string) bool { return strings.HasPrefix(library, "ld-linux") }

func name(library, file string) string {
	if real, err := filepath.EvalSymlinks(file); err == nil && file != "" {
		file = real
	}
	return nameAs(library, file)
}

// TestCacheIsReadAsLdconfigReadsIt compares the cache with the output of ldconfig.
func TestCacheIsReadAsLdconfigReadsIt(t *testing.T) {
	ldconfig, err := exec.LookPath("/sbin/ldconfig")
	if err != nil {
		t.Skip("there is no ldconfig")
	}
	text, err := exec.Command(ldconfig, "-p").Output()
	if err != nil {
		t.Skip(err)
	}
	want := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		left, file, ok := strings.Cut(line, " => ")
		if words := strings.Fields(left); ok && !strings.Contains(left, "hwcap") {
			want[words[0]] = append(want[words[0]], strings.TrimSpace(file))
		}
	}
	if d := cmp.Diff(want, ThisMachine().cache); d != "" || len(want) == 0 {
		t.Errorf("-ldconfig +got:\n%s", d)
	}
}

// TestLibrariesOfItsOwn checks that libraries of libraries are found. Of several files with the
// same name, the first for the right processor is used. Libraries of the machine come last.
func TestLibrariesOfItsOwn(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	write(t, in("bin/p"), image(elf.EM_X86_64, "NEEDED one", "NEEDED two", "NEEDED gone", "NEEDED sys", "RUNPATH $ORIGIN/../arm:$ORIGIN/../lib:${ORIGIN}/../lib2:$LIB/x"))
	write(t, in("arm/one"), image(elf.EM_AARCH64))
	write(t, in("arm/two"), []byte("no ELF"))
	write(t, in("lib/one"), image(elf.EM_X86_64, "NEEDED three", "NEEDED four", "NEEDED one"))
	write(t, in("lib2/one"), image(elf.EM_X86_64, "NEEDED five"))
	write(t, in("lib2/two"), image(elf.EM_X86_64, "NEEDED three", "NEEDED "+in("other/six"), "RPATH "+dir+"/old"))
	write(t, in("lib/three"), image(elf.EM_X86_64)) // not found, because lib/one specifies no directory
	write(t, in("old/seven"), image(elf.EM_X86_64))
	write(t, in("other/six"), image(elf.EM_X86_64, "NEEDED seven")) // seven is found by the RPATH of lib2/two
	write(t, in("sys/sys.1.2"), image(elf.EM_X86_64))
	write(t, in("sys/arm"), image(elf.EM_AARCH64))
	link(t, "sys.1.2", in("sys/sys.1"))
	link(t, in("sys/sys.1"), in("sys/sys"))
	m := &Machine{map[string][]string{"sys": {in("sys/arm"), in("sys/sys")}}}

	got, err := Of(in("bin/p"), func() *Machine { return m })
	want := Parts{
		Libraries: []string{in("lib/one"), in("lib2/two"), in("other/six"), in("old/seven")},
		Machine:   []string{"gone=", "sys=sys.1.2", "three=", "four="},
	}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, d)
	}

	link(t, in("bin/p"), in("p"))
	if by, err := Of(in("p"), func() *Machine { return m }); !cmp.Equal(got, by) || err != nil {
		t.Errorf("by a link: %v, %v", by, err)
	}
}

func TestName(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) []string { return []string{filepath.Join(dir, "none"), filepath.Join(dir, name)} }
	write(t, at("libz.so.1.3")[1], nil)
	link(t, "libz.so.1.3", at("libz.so.1")[1])
	link(t, "loop", at("loop")[1])
	link(t, "nowhere", at("dangling")[1])
	m := &Machine{map[string][]string{"libz.so.1": at("libz.so.1"), "libz.so.1.3": at("libz.so.1.3"), "loop": at("loop"), "dangling": at("dangling")}}
	for library, want := range map[string][2]string{
		"libz.so.1":   {"libz.so.1=libz.so.1.3", "libz.so.1.3"},
		"libz.so.1.3": {"libz.so.1.3", "libz.so.1.3"},
		"loop":        {"loop=", ""},
		"dangling":    {"dangling=", ""},
		"unheard of":  {"unheard of=", ""},
	} {
		got := m.Name(library)
		if back, file := Named(got); got != want[0] || back != library || file != want[1] {
			t.Errorf("%s: %q, back %q and %q", library, got, back, file)
		}
	}
}

func FuzzParseCache(f *testing.F) {
	if text, err := os.ReadFile("/etc/ld.so.cache"); err == nil {
		f.Add(text[:min(len(text), 4096)])
	}
	f.Add([]byte("glibc-ld.so.cache1.1" + strings.Repeat("\xff", 100)))
	f.Fuzz(func(t *testing.T, text []byte) { parseCache(string(text)) })
}

func FuzzOf(f *testing.F) {
	f.Add(image(elf.EM_X86_64, "NEEDED one", "RUNPATH $ORIGIN"))
	f.Add([]byte("#!/usr/bin/env -S"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		file := filepath.Join(dir, "p")
		write(t, file, text)
		if _, err := Of(file, ThisMachine); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkOf(b *testing.B) {
	m := ThisMachine()
	for _, p := range []string{"/bin/sh", "/usr/bin/python3", "/usr/bin/ffmpeg"} {
		b.Run(filepath.Base(p), func(b *testing.B) {
			for b.Loop() {
				if _, err := Of(p, func() *Machine { return m }); err != nil {
					b.Skip(err)
				}
			}
		})
	}
}

func BenchmarkThisMachine(b *testing.B) {
	for b.Loop() {
		ThisMachine()
	}
}

func BenchmarkName(b *testing.B) {
	m := ThisMachine()
	for b.Loop() {
		m.Name("libc.so.6")
	}
}

// image returns an ELF file that has only its dynamic entries and their texts. Each entry is given
// as a tag and a text.
func image(machine elf.Machine, entries ...string) []byte {
	const header, section = 64, 64
	texts := []byte{0}
	var dynamic bytes.Buffer
	put := func(to *bytes.Buffer, values ...any) {
		for _, v := range values {
			binary.Write(to, binary.LittleEndian, v)
		}
	}
	for _, entry := range entries {
		tag, text, _ := strings.Cut(entry, " ")
		put(&dynamic, int64(map[string]elf.DynTag{"NEEDED": elf.DT_NEEDED, "RUNPATH": elf.DT_RUNPATH, "RPATH": elf.DT_RPATH}[tag]), uint64(len(texts)))
		texts = append(append(texts, text...), 0)
	}
	put(&dynamic, int64(elf.DT_NULL), uint64(0))
	start := uint64(header + 3*section)
	var out bytes.Buffer
	put(&out, elf.Header64{
		Ident:   [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:    uint16(elf.ET_DYN),
		Machine: uint16(machine), Version: uint32(elf.EV_CURRENT), Shoff: header, Ehsize: header, Shentsize: section, Shnum: 3, Shstrndx: 1,
	}, elf.Section64{},
		elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: start, Size: uint64(len(texts))},
		elf.Section64{Type: uint32(elf.SHT_DYNAMIC), Off: start + uint64(len(texts)), Size: uint64(dynamic.Len()), Link: 1, Entsize: 16})
	out.Write(texts)
	out.Write(dynamic.Bytes())
	return out.Bytes()
}

func write(t testing.TB, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o777); err != nil {
		t.Fatal(err)
	}
}

func link(t testing.TB, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Skip(err)
	}
}
