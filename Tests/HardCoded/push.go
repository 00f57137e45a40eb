// Pushes as many programs do: to Apple's host, which stands in the code. BEARER is a provider token.
package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
)

func main() {
	tokens := map[string]string{"api.push.apple.com": "a1", "api.sandbox.push.apple.com:2197": "b2"}
	for host, token := range tokens {
		body := strings.NewReader(`{"aps":{"alert":"go"}}`)
		request, err := http.NewRequest("POST", "https://"+host+"/3/device/"+strings.Repeat(token, 32), body)
		if err != nil {
			panic(err)
		}
		request.Header.Set("authorization", "bearer "+os.Getenv("BEARER"))
		request.Header.Set("apns-topic", "com.example.app")
		request.Header.Set("apns-push-type", "alert")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			panic(err)
		}
		fmt.Println(host, answer.StatusCode, answer.Proto)
	}
}
