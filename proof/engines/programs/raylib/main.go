// Raylib makes the C library raylib available to C programs: it is built with -buildmode=c-archive.
// The sources of raylib are in the module raylib-go.
package main

import _ "github.com/gen2brain/raylib-go/raylib"

func main() {}
