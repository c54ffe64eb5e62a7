package farm

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"foray.test/cmd/internal/farm/queue"
	"foray.test/cmd/internal/farm/record"
)

// certificate writes a certificate for 127.0.0.1 that signs itself, and its key.
func certificate(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "foray"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, data []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "EC PRIVATE KEY", keyDER)
}

// The server of deploy/nats.conf lets each role do its work, and nothing else.
func TestRoles(t *testing.T) {
	dir := t.TempDir()
	seeds := map[string]string{}
	for _, role := range []string{"keeper", "worker", "reader", "stranger"} {
		pair, err := nkeys.CreateUser()
		if err != nil {
			t.Fatal(err)
		}
		seed, _ := pair.Seed()
		public, _ := pair.PublicKey()
		seeds[role] = filepath.Join(dir, role+".nk")
		if err := os.WriteFile(seeds[role], seed, 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("FORAY_"+strings.ToUpper(role), public)
	}
	cert, key := certificate(t, dir)
	t.Setenv("FORAY_CERT", cert)
	t.Setenv("FORAY_KEY", key)
	t.Setenv("FORAY_QUEUE", filepath.Join(dir, "queue"))
	opts, err := server.ProcessConfigFile(filepath.Join("..", "..", "..", "deploy", "nats.conf"))
	if err != nil {
		t.Fatal(err)
	}
	if !opts.SyncAlways {
		t.Error("the queue is not synced always")
	}
	opts.Host, opts.Port, opts.NoSigs, opts.NoLog = "127.0.0.1", freePort(t), true, true
	s, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer s.Shutdown()
	address := fmt.Sprintf("tls://127.0.0.1:%d", opts.Port)
	connect := func(role string) *queue.Broker {
		t.Helper()
		b, err := queue.Connect(queue.Connection{URL: address, Credentials: seeds[role], CA: cert})
		if err != nil {
			t.Fatalf("%s: %v", role, err)
		}
		t.Cleanup(b.Close)
		return b
	}
	for name, c := range map[string]queue.Connection{
		"a stranger":       {URL: address, Credentials: seeds["stranger"], CA: cert},
		"nobody":           {URL: address, CA: cert},
		"without the CA":   {URL: address, Credentials: seeds["worker"]},
		"a missing file":   {URL: address, Credentials: filepath.Join(dir, "none.nk"), CA: cert},
		"a file of no key": {URL: address, Credentials: cert, CA: cert},
	} {
		if b, err := queue.Connect(c); err == nil {
			b.Close()
			t.Errorf("%s is let in", name)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q, want one line", name, err)
		}
	}

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	keeper, worker, reader := connect("keeper"), connect("worker"), connect("reader")
	job := record.Job{ID: record.JobID{Epoch: 1, Seq: 1}, Target: planned(1)[0], Version: "v1"}
	if err := keeper.Setup(ctx); err != nil {
		t.Fatal(err)
	}
	if err := keeper.Add(ctx, &job); err != nil {
		t.Fatal(err)
	}
	news := make(chan queue.News, 10)
	for _, b := range []*queue.Broker{keeper, reader} {
		if _, err := b.Listen(func(n queue.News) { news <- n }); err != nil {
			t.Fatal(err)
		}
		if err := b.Flush(ctx); err != nil {
			t.Fatal(err)
		}
	}
	job.ID.Seq++
	var tries sync.WaitGroup
	for what, try := range map[string]func(context.Context) error{
		"a worker adds a job":        func(ctx context.Context) error { return worker.Add(ctx, &job) },
		"a worker removes all jobs":  worker.Clear,
		"a worker changes the queue": worker.Setup,
		"a reader takes a job": func(ctx context.Context) error {
			_, err := reader.Take(ctx, time.Second)
			return err
		},
	} {
		tries.Go(func() {
			short, cancel := context.WithTimeout(ctx, time.Second) // the server does not answer
			defer cancel()
			err := try(short)
			if err == nil {
				t.Error(what)
			} else if !strings.Contains(strings.ToLower(err.Error()), "permissions violation") {
				t.Errorf("%s: %v; want that it has no right", what, err)
			}
		})
	}
	tries.Wait()
	held, err := worker.Take(ctx, 10*time.Second)
	if err != nil || held == nil || held.Job.ID.Seq != 1 {
		t.Fatalf("a worker takes %v, %v", held, err)
	}
	if err := worker.Tell(queue.News{Worker: "w", Object: "runs/a/1"}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		select {
		case n := <-news:
			if n.Object != "runs/a/1" {
				t.Errorf("got %+v", n)
			}
		case <-ctx.Done():
			t.Fatal("nobody heard the worker")
		}
	}
	if err := held.Done(ctx); err != nil {
		t.Error(err)
	}
	if depth, err := keeper.Depth(ctx); err != nil || depth.Waiting != 0 || depth.Running != 0 {
		t.Errorf("depth %+v, %v; want an empty queue", depth, err)
	}
}

// freePort returns a port that nobody uses.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
