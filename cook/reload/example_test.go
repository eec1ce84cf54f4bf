package reload_test

import (
	"context"
	"fmt"
	"log"
	"net/http"

	"github.com/assetcook/assetcook/cook/reload"
)

// A page loads /reload/reload.js, which calls its functions when artifacts change.
func ExampleHandler() {
	http.Handle("/", http.FileServer(http.Dir("cooked")))
	http.Handle("/reload/", http.StripPrefix("/reload", reload.Handler("cooked")))
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", nil))
}

// A game reloads changed artifacts.
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
