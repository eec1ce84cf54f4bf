// Package assetcook is a toolkit for people who ship games and other asset-heavy software. It
// contains no code; see
//
//   - cook: the asset cooker as a library; cook/cli and cmd/cook: as a command
//   - cook/recipe: how to write a recipe; recipes: the recipes of this module
//   - cook/manifest: the list of cooked artifacts, for engines
//   - hashing: checksums by name, parallel checksums of files, framed keys; cmd/hashsum as a command
//   - crcslice8, intern, ptrhash: CRCs of any width, string tables, pointer tables
//   - profile/counters, profile/events, profile/memory: counters, timelines and memory use of a program
package assetcook
