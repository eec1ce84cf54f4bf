package reload_test

import (
	"context"
	"fmt"
	"log"
	"net/http"

	"github.com/assetcook/assetcook/cook/reload"
)

// This program serves a page that loads /reload/reload.js. The script calls functions of the page
// when artifacts change.
func ExampleHandler() {
	http.Handle("/", http.FileServer(http.Dir("cooked")))
	http.Handle("/reload/", http.StripPrefix("/reload", reload.Handler("cooked")))
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", nil))
}

// This program reloads changed artifacts.
func ExampleFollow() {
	for batch, err := range reload.Follow(context.Background(), "cooked") {
		if err != nil {
			log.Print(err)
			continue
		}
		for _, change := range batch.Changes {
			fmt.Println("load", change.Path)
		}
	}
}
