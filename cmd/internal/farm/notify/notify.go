// Package notify tells other programs of findings that are new, fixed, or there again: by a
// POST of JSON to an address.
package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"foray.test/cmd/internal/farm/ledger"
)

// A Message is the body of the request. Text stands in it for chat servers, which show it.
type Message struct {
	Text      string       `json:"text"`
	State     ledger.State `json:"state"`
	Target    string       `json:"target"`
	Signature string       `json:"signature"`
	Tier      string       `json:"tier"`
	Message   string       `json:"message"`
	Key       string       `json:"key"`
	First     time.Time    `json:"first"`
	Last      time.Time    `json:"last"`
	Revision  string       `json:"revision,omitempty"`
}

// timeout bounds a request.
const timeout = 10 * time.Second

// Send tells the latest change of a finding, the nth, to a webhook. A receiver that gets the same
// change twice, after a power cut, tells it by the Idempotency-Key.
func Send(ctx context.Context, url, target string, f *ledger.Finding, n int) error {
	last := f.Changes[len(f.Changes)-1]
	m := Message{
		Text:  fmt.Sprintf("foray: %s finding in %s: %s: %s", last.State, target, f.Operation, f.Message),
		State: last.State, Target: target, Signature: f.Signature, Tier: f.Tier, Message: f.Message, Key: f.Key,
		First: f.First, Last: f.Last, Revision: last.Revision,
	}
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("webhook: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", fmt.Sprintf("%s-%d", f.Key, n))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("webhook: %w", err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<16))
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("webhook: %s", res.Status)
	}
	return nil
}
