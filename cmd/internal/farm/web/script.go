package web

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
)

// script replaces the line of the state as it changes, and offers to load the page again
// once there are more runs. Without script the page is as it was loaded.
const script template.JS = `
const line = document.getElementById("line"), more = document.getElementById("more");
let first = "";
new EventSource("/live").addEventListener("state", (e) => {
	line.textContent = e.data;
	if (first === "") first = e.lastEventId;
	more.hidden = e.lastEventId === first;
});
`

// scriptHash lets this script run, and no other.
var scriptHash = func() string {
	sum := sha256.Sum256([]byte(script))
	return base64.StdEncoding.EncodeToString(sum[:])
}()
