package rtl

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"metaroce/tandem/cosim/target"
)

// lock takes a lock between processes that ends with the process, whatever becomes of it.
func lock(ctx context.Context, path string) (func(), error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, target.Fail("build", err, "cannot lock the cache of simulators")
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			_ = f.Close()
			return nil, target.Fail("build", err, "cannot lock the cache of simulators")
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, target.Fail("build", ctx.Err(), "interrupted while another build ran")
		case <-time.After(100 * time.Millisecond):
		}
	}
}
