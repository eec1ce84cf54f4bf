// Package assetcook is a toolkit for people who ship games and other
// asset-heavy software. It holds no code of its own; see
//
//   - cook: the asset cooker as a library; cook/cli and cmd/cook: as a command
//   - cook/recipe: how to write a recipe; recipes: those of this module
//   - cook/manifest: the list of what was cooked, for engines
//   - hashing: checksums by name, files summed in parallel, framed keys; cmd/hashsum
//     as a command
//   - crcslice8, intern, ptrhash: CRCs of any width, string tables, pointer
//     tables
//   - profile/counters, profile/events, profile/memory: what a program does, when, and
//     what memory it holds
package assetcook
