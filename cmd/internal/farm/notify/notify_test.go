package notify

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"foray.test/cmd/internal/farm/ledger"
	"foray.test/cmd/internal/farm/record"
)

func TestSend(t *testing.T) {
	f := &ledger.Finding{
		Key: "k", Seen: record.Seen{Signature: "panic:index:F", Tier: "error", Operation: "F", Message: "index out of range"}, State: ledger.StateFixed,
		Changes: []ledger.Change{{State: ledger.StateNew}, {State: ledger.StateFixed, Revision: "abc"}},
	}
	status := http.StatusNoContent
	var got Message
	key := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key = r.Header.Get("Idempotency-Key")
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil || r.Method != http.MethodPost {
			t.Error(r.Method, err)
		}
		w.WriteHeader(status)
	}))
	defer server.Close()
	if err := Send(t.Context(), server.URL, "m.test/m", f, 2); err != nil {
		t.Fatal(err)
	}
	if got.State != ledger.StateFixed || got.Revision != "abc" || got.Signature != f.Signature || key != "k-2" || !strings.Contains(got.Text, "fixed finding in m.test/m: F") {
		t.Errorf("key %q, message %+v", key, got)
	}
	status = http.StatusBadGateway
	if err := Send(t.Context(), server.URL, "m.test/m", f, 2); err == nil || !strings.Contains(err.Error(), "502") {
		t.Errorf("got %v, want 502", err)
	}
	server.Close()
	if err := Send(t.Context(), server.URL, "m.test/m", f, 2); err == nil {
		t.Error("no error without a server")
	}
}
