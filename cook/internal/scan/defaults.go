package scan

import (
	"slices"
	"strings"
)

// Defaults is a .cookignore for the whole tree that every real .cookignore overrides. It lists
// files that no asset directory means to ship. It ignores the case of letters. Unlike the names
// in junk.go, each of its files can be included again by a line of a .cookignore.
const Defaults = `# Hidden files: settings of editors and tools, caches, passwords.
.*

# Packages and caches of tools.
node_modules/
__pycache__/
*.pyc

# What builds and steers a project.
Makefile
GNUmakefile
CMakeLists.txt
*.mk
*.sln
*.vcxproj
*.code-workspace

# Private keys and passwords.
id_rsa
id_dsa
id_ecdsa
id_ecdsa_sk
id_ed25519
id_ed25519_sk
*.pem
*.key
*.p8
*.ppk
*.p12
*.pfx
*.jks
*.keystore
*.kdbx
credentials*.json
secrets.*

# Work files of image editors.
*.psd
*.psb
*.xcf
*.kra
*.kra-autosave.kra
*.aseprite
*.ase
*.pdn
*.procreate
*.afphoto
*.afdesign

# Work files of modelers, sculptors and texture painters.
*.blend
*.blend[0-9]
*.blend[0-9][0-9]
*.fbx
*.max
*.ma
*.mb
*.c4d
*.hip
*.hiplc
*.hipnc
*.lxo
*.skp
*.ztl
*.zpr
*.zbr
*.spp
*.sbs

# Work files of sound and video editors.
*.aup
*.aup3
*.flp
*.rpp
*.rpp-bak
*.reapeaks
*.aep
*.prproj

# What engines and their editors keep beside a source.
*.meta
*.import
*.uid

# What editors and programs leave behind.
*.tmp
*.bak
*.orig
*.rej
*.crdownload
`

// isSecret reports whether a line of Defaults, counted from 1, excludes private keys or
// passwords.
func isSecret(line int) bool {
	before, list, _ := strings.Cut(Defaults, "# Private keys and passwords.\n")
	list, _, _ = strings.Cut(list, "\n\n")
	first := strings.Count(before, "\n") + 2
	return line >= first && line <= first+strings.Count(list, "\n")
}

// defaultList compiles Defaults without the patterns for some extensions, which are in lower case
// with their dots.
func defaultList(but []string) *ignoreList {
	patterns := parseIgnore(lowered(nil, Defaults))
	patterns = slices.DeleteFunc(patterns, func(p pattern) bool {
		return p.shape == shapeSuffix && slices.Contains(but, p.text)
	})
	for i := range patterns {
		patterns[i].builtIn, patterns[i].secret = true, isSecret(patterns[i].line)
	}
	return &ignoreList{patterns: patterns, folded: true}
}

// lowered appends a text to a buffer, with ASCII letters in lower case.
func lowered[text []byte | string](buf []byte, t text) []byte {
	for i := range len(t) {
		c := t[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		buf = append(buf, c)
	}
	return buf
}
