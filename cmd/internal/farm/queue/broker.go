// Package queue hands out the jobs of a farm, through NATS JetStream: embedded in this
// process without a socket, or on a server or cluster elsewhere.
//
// The queue is transport. All that must not be lost is in the store before it is
// published here, and a queue that is lost is filled again.
package queue

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A Broker is a connection to JetStream, and the server if it is embedded.
type Broker struct {
	server   *server.Server
	conn     *nats.Conn
	js       jetstream.JetStream
	replicas int
	lease    time.Duration
	farm     string // whose queue it is; empty: nobody's
	version  string // of that farm's foray
}

// How long the start of an embedded server, and a call of JetStream, may take.
const (
	startTime = 20 * time.Second
	callTime  = 5 * time.Second
)

// maxPayload is the size in bytes of the largest message: a report, or some entries.
const maxPayload = 4 << 20

// Embed starts a server in this process that keeps its files in dir and listens nowhere.
// It syncs every message: with the default of JetStream a power cut loses two minutes.
func Embed(dir string) (*Broker, error) {
	s, err := server.NewServer(&server.Options{
		ServerName: "foray", DontListen: true, JetStream: true, StoreDir: dir, SyncAlways: true,
		MaxPayload: maxPayload, NoSigs: true, NoLog: true,
	})
	if err != nil {
		return nil, fmt.Errorf("queue in %s: %w", dir, err)
	}
	s.Start()
	if !s.ReadyForConnections(startTime) || !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, fmt.Errorf("queue in %s: JetStream did not start", dir)
	}
	conn, err := nats.Connect("", nats.InProcessServer(s), nats.Name("foray farm"))
	if err != nil {
		s.Shutdown()
		return nil, fmt.Errorf("queue in %s: %w", dir, err)
	}
	b, err := newBroker(conn, 1)
	if err != nil {
		s.Shutdown()
		return nil, err
	}
	b.server = s
	return b, nil
}

// quiet takes errors that belong to no call: those of the connection, which comes back by itself,
// and missing rights, which failed adds to the error of the call.
func quiet(*nats.Conn, *nats.Subscription, error) {}

// Connection says how to reach a server elsewhere.
type Connection struct {
	URL         string // nats://host:port, tls://…; several with commas
	Credentials string // file of a user's credentials or NKey seed; may be empty
	CA          string // file of the certificates that sign the server's; may be empty
	Replicas    int    // of streams; 0: 3 in a cluster, else 1
}

// Connect connects to a server or a cluster. It reconnects for ever once it has been
// connected.
func Connect(c Connection) (*Broker, error) {
	opts := []nats.Option{nats.Name("foray farm"), nats.MaxReconnects(-1), nats.Timeout(5 * time.Second), nats.ErrorHandler(quiet)}
	if c.Credentials != "" {
		if _, err := os.Stat(c.Credentials); err != nil {
			return nil, fmt.Errorf("credentials: %w", err)
		}
		if filepath.Ext(c.Credentials) == ".nk" {
			opt, err := nats.NkeyOptionFromSeed(c.Credentials)
			if err != nil {
				return nil, fmt.Errorf("credentials %s: %w", c.Credentials, err)
			}
			opts = append(opts, opt)
		} else {
			opts = append(opts, nats.UserCredentials(c.Credentials))
		}
	}
	if c.CA != "" {
		opts = append(opts, nats.RootCAs(c.CA))
	}
	conn, err := nats.Connect(c.URL, opts...)
	if err != nil {
		return nil, fmt.Errorf("queue at %s: %w", withoutPassword(c.URL), err)
	}
	replicas := c.Replicas
	if replicas == 0 {
		replicas = 1
		if conn.ConnectedClusterName() != "" {
			replicas = min(3, max(1, len(conn.DiscoveredServers())+1))
		}
	}
	return newBroker(conn, replicas)
}

// withoutPassword returns an address as it may be printed.
func withoutPassword(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = rest[i+1:]
	}
	return scheme + "://" + rest
}

func newBroker(conn *nats.Conn, replicas int) (*Broker, error) {
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(callTime))
	if err != nil {
		conn.Close()
		return nil, err
	}
	return &Broker{conn: conn, js: js, replicas: replicas, lease: Lease}, nil
}

// Close closes the connection and ends an embedded server.
func (b *Broker) Close() {
	b.conn.Close()
	if b.server != nil {
		b.server.Shutdown()
		b.server.WaitForShutdown()
	}
}

// Names in JetStream.
const (
	jobsStream  = "FORAY_JOBS"
	jobSubject  = "foray.jobs."
	consumer    = "workers"
	newsSubject = "foray.news."
)

// Lease is the time after which a job whose worker is silent goes to another. A worker says
// three times as often that it lives.
const Lease = 30 * time.Second

// SetLease sets another lease, for the queue if it is set up afterwards, and for jobs that
// are taken afterwards.
func (b *Broker) SetLease(d time.Duration) { b.lease = d }

// ErrClaimed is the error of [Broker.Claim] if the queue is another farm's.
var ErrClaimed = errors.New("the server has the queue of another farm, with another store: give each a server or an account of its own")

// Names in the metadata of the stream and of its consumer, and how long after its last job a queue
// can be claimed that was not released.
const (
	farmKey    = "foray-farm"
	versionKey = "foray-version"
	claimAfter = 10 * time.Minute
)

// Claim has [Broker.Setup] make the queue that of a farm, of a version of foray. The error is
// ErrClaimed if it is that of another, which has neither released it nor been silent for ten minutes.
func (b *Broker) Claim(ctx context.Context, farm, version string) error {
	stream, err := b.js.Stream(ctx, jobsStream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		b.farm, b.version = farm, version
		return nil
	}
	if err != nil {
		return b.failed(err)
	}
	info := stream.CachedInfo() // both times are the server's
	if claimed(info.Config.Metadata[farmKey], farm, info.TimeStamp.Sub(info.State.LastTime)) {
		return fmt.Errorf("queue: %w", ErrClaimed)
	}
	b.farm, b.version = farm, version
	return nil
}

// Farm returns whose queue it is, and the version of that farm's foray; empty if it is nobody's.
func (b *Broker) Farm(ctx context.Context) (farm, version string, err error) {
	c, err := b.js.Consumer(ctx, jobsStream, consumer) // workers may not ask for the stream
	if err != nil {
		return "", "", b.failed(err)
	}
	metadata := c.CachedInfo().Config.Metadata
	return metadata[farmKey], metadata[versionKey], nil
}

// claimed reports whether a queue is that of another farm, whose last job was added some time ago.
func claimed(was, farm string, silent time.Duration) bool {
	return was != "" && was != farm && silent < claimAfter
}

// Release lets another farm claim the queue at once.
func (b *Broker) Release(ctx context.Context) error {
	b.farm = ""
	return b.Setup(ctx)
}

// Setup makes the stream of jobs and its consumer, if they are missing.
func (b *Broker) Setup(ctx context.Context) error {
	var metadata map[string]string
	if b.farm != "" {
		metadata = map[string]string{farmKey: b.farm, versionKey: b.version}
	}
	stream, err := b.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Metadata: metadata,
		Name:     jobsStream, Description: "jobs of a foray farm", Subjects: []string{jobSubject + ">"},
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, Replicas: b.replicas,
		Duplicates: time.Minute, MaxMsgs: 100_000, Discard: jetstream.DiscardNew,
	})
	if err == nil {
		// Deliveries are not limited here: the worker that gets a job too often parks it,
		// so that none stays in the stream unseen.
		_, err = stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Metadata: metadata,
			Durable:  consumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: b.lease, MaxDeliver: -1, MaxAckPending: 20_000,
		})
	}
	if err != nil {
		return b.failed(err)
	}
	return nil
}

// ErrLost is the error of operations if the broker has no queue any more.
var ErrLost = errors.New("the queue is gone")

// ErrNoJetStream is the error of operations if the server has no queues.
var ErrNoJetStream = errors.New("the server has no JetStream: start it with -js")

// failed returns an error of NATS with the part that says what to do about it. A server does
// not answer what a user has no right to ask.
func (b *Broker) failed(err error) error {
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound), errors.Is(err, jetstream.ErrConsumerNotFound), errors.Is(err, jetstream.ErrConsumerDeleted):
		return ErrLost
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return fmt.Errorf("queue: %w", ErrNoJetStream)
	case !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, jetstream.ErrNoStreamResponse):
		return fmt.Errorf("queue: %w", err)
	}
	if last := b.conn.LastError(); errors.Is(last, nats.ErrPermissionViolation) {
		return fmt.Errorf("queue: %w: %w", err, last)
	}
	return fmt.Errorf("queue: the server does not answer: %w", err)
}

// Clear removes all jobs, also those that somebody runs: their results count all the same.
func (b *Broker) Clear(ctx context.Context) error {
	stream, err := b.js.Stream(ctx, jobsStream)
	if err == nil {
		err = stream.Purge(ctx)
	}
	if err != nil {
		return b.failed(err)
	}
	return nil
}

// ClearWaiting removes the jobs that nobody has taken.
func (b *Broker) ClearWaiting(ctx context.Context) error {
	c, err := b.js.Consumer(ctx, jobsStream, consumer)
	if err != nil {
		return b.failed(err)
	}
	// All messages above the last one that was delivered; below it there are only those
	// that are being worked on.
	stream, err := b.js.Stream(ctx, jobsStream)
	if err != nil {
		return b.failed(err)
	}
	last := stream.CachedInfo().State.LastSeq
	for seq := c.CachedInfo().Delivered.Stream + 1; seq <= last; seq++ {
		if err := stream.DeleteMsg(ctx, seq); err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
			return b.failed(err)
		}
	}
	return nil
}
