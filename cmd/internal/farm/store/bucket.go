package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Bucket is a Store in a bucket of an S3 server that knows conditional writes, as those
// of Amazon, Google, MinIO, Ceph and Cloudflare do.
//
// The revision of a manifest is its ETag. A manifest begins with a line of random
// digits, so that no ETag ever comes back.
type Bucket struct {
	client *minio.Client
	bucket string
	prefix string // of all keys; empty or with a slash at the end
}

// OpenBucket opens the store that an address names:
//
//	s3://bucket/prefix?endpoint=localhost:9000&region=eu-west-1&insecure=true
//
// Without an endpoint it is Amazon's. The credentials come from the environment
// (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY), a file (~/.aws/credentials) or the
// machine's role. It checks that the bucket can be read.
func OpenBucket(ctx context.Context, address string) (*Bucket, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "s3" || u.Host == "" {
		return nil, fmt.Errorf("store: %q: want an address such as s3://bucket/prefix", address)
	}
	q := u.Query()
	client, err := minio.New(cmp.Or(q.Get("endpoint"), "s3.amazonaws.com"), &minio.Options{
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{},
		}),
		Secure: q.Get("insecure") != "true",
		Region: q.Get("region"),
	})
	if err != nil {
		return nil, failed("open", address, err)
	}
	b := &Bucket{client: client, bucket: u.Host, prefix: strings.Trim(u.Path, "/")}
	if b.prefix != "" {
		b.prefix += "/"
	}
	there, err := client.BucketExists(ctx, b.bucket)
	if err == nil && !there {
		err = errors.New("there is no such bucket")
	}
	return b, failed("open", address, remote(err))
}

// Put implements [Store].
func (b *Bucket) Put(ctx context.Context, name string, data []byte) (bool, error) {
	if err := checkPut(name, data); err != nil {
		return false, err
	}
	_, err := b.write(ctx, name, data, "")
	if errors.Is(err, ErrConflict) {
		return false, nil
	}
	return err == nil, failed("put", name, err)
}

// Get implements [Store].
func (b *Bucket) Get(ctx context.Context, name string) ([]byte, Revision, error) {
	if err := Check(name); err != nil {
		return nil, "", err
	}
	data, etag, err := b.read(ctx, name)
	if err != nil || !IsManifest(name) {
		return data, "", failed("get", name, err)
	}
	_, data, _ = bytes.Cut(data, []byte("\n"))
	return data, Revision(etag), nil
}

func (b *Bucket) read(ctx context.Context, name string) ([]byte, string, error) {
	obj, err := b.client.GetObject(ctx, b.bucket, b.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, "", remote(err)
	}
	defer obj.Close()
	data, err := io.ReadAll(io.LimitReader(obj, MaxObject+100))
	if err != nil {
		return nil, "", remote(err)
	}
	info, err := obj.Stat()
	return data, info.ETag, remote(err)
}

// List implements [Store].
func (b *Bucket) List(ctx context.Context, prefix string) ([]string, error) {
	if err := checkPrefix(prefix); err != nil {
		return nil, err
	}
	var names []string
	for obj := range b.client.ListObjects(ctx, b.bucket, minio.ListObjectsOptions{Prefix: b.prefix + prefix, Recursive: true}) {
		if obj.Err != nil {
			return nil, failed("list", prefix, remote(obj.Err))
		}
		if name := strings.TrimPrefix(obj.Key, b.prefix); Check(name) == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Swap implements [Store].
func (b *Bucket) Swap(ctx context.Context, name string, data []byte, old Revision) (Revision, error) {
	if err := checkSwap(name, data); err != nil {
		return "", err
	}
	data = append([]byte(rand.Text()+"\n"), data...)
	rev, err := b.write(ctx, name, data, old)
	if errors.Is(err, ErrConflict) {
		// The client asks again if an answer is lost: its first try may have replaced it.
		if now, etag, readErr := b.read(ctx, name); readErr == nil && bytes.Equal(now, data) {
			return Revision(etag), nil
		}
	}
	return rev, failed("swap", name, err)
}

// Delete implements [Store].
func (b *Bucket) Delete(ctx context.Context, name string) error {
	if err := checkDelete(name); err != nil {
		return err
	}
	return failed("delete", name, remote(b.client.RemoveObject(ctx, b.bucket, b.prefix+name, minio.RemoveObjectOptions{})))
}

// write writes an object if it has the revision old; if that is empty, unless it is there.
func (b *Bucket) write(ctx context.Context, name string, data []byte, old Revision) (Revision, error) {
	opts := minio.PutObjectOptions{ContentType: "application/octet-stream", DisableMultipart: true}
	if old == "" {
		opts.SetMatchETagExcept("*")
	} else {
		opts.SetMatchETag(string(old))
	}
	for wait := 100 * time.Millisecond; ; wait *= 2 {
		info, err := b.client.PutObject(ctx, b.bucket, b.prefix+name, bytes.NewReader(data), int64(len(data)), opts)
		if minio.ToErrorResponse(err).Code != busy || wait > longestWait {
			return Revision(info.ETag), remote(err)
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(wait):
		}
	}
}

// busy is the code of a server that does not know yet which of two writers comes first. The other
// may still fail, so this one asks again.
const (
	busy        = "ConditionalRequestConflict"
	longestWait = 3 * time.Second
)

// remote returns the error of the S3 server as one of this package.
func remote(err error) error {
	if err == nil {
		return nil
	}
	switch res := minio.ToErrorResponse(err); {
	case res.StatusCode == http.StatusPreconditionFailed || res.Code == minio.PreconditionFailed:
		return ErrConflict
	case res.Code == minio.NoSuchKey || res.StatusCode == http.StatusNotFound && res.Code != minio.NoSuchBucket:
		return fs.ErrNotExist
	case res.StatusCode == http.StatusForbidden:
		return fmt.Errorf("%w: %s", fs.ErrPermission, res.Message)
	}
	return err
}
