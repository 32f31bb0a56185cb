package hugepages

import (
	"runtime"
	"syscall"
)

// Reserve asks for huge pages under the next size bytes that the heap grows by. It takes addresses, and no memory before that
// is used: the block that it makes begins with a page, is never written, and is freed at once, so that the heap grows into its
// place. The error says that the system would not.
func Reserve(size int) error {
	block := make([]byte, size)
	err := syscall.Madvise(block, syscall.MADV_HUGEPAGE)
	runtime.KeepAlive(block)
	block = nil
	runtime.GC()
	return err
}
