// Package assetcook is a toolkit for people who ship games and other
// asset-heavy software. It holds no code of its own; see
//
//   - cook: the asset cooker as a library, and cmd/cook as a command
//   - hashing: checksums by name, files summed in parallel, framed keys
package assetcook
