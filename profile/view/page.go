package view

import (
	"embed"
	"io/fs"
	"net/http"
)

//go:embed page
var embedded embed.FS

// pages serves the files of the page.
func pages() http.Handler {
	files, err := fs.Sub(embedded, "page")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return http.FileServerFS(files)
}
