package store

import (
	"context"
	"strings"
)

// Open opens the store that an address names: a bucket, s3://…, or else a directory.
func Open(ctx context.Context, address string) (Store, error) {
	if strings.Contains(address, "://") {
		return OpenBucket(ctx, address)
	}
	return OpenDir(address)
}
