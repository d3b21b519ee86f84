package atomicfile

import (
	"cmp"
	"errors"
	"io"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/arrowsort/arrowsort/internal/workers"
)

// A directFile writes a file past the page cache where the file system lets it: its pages are to be synced anyway, and
// on a virtual machine that returns free memory to its host, fresh pages of the cache take longer than the disk. The
// end of a file that does not fill its block is written through the cache.
type directFile struct {
	file   blockFile
	buffer []byte // aligned; nil: everything is written through the cache
	n      int    // bytes in the buffer
	memory *directBuffer
}

// A directBuffer has the memory of a buffer, wherever it is aligned. Many small files use the same one after the other.
type directBuffer [directBytes + diskBlock]byte

var directBuffers workers.Reused[directBuffer]

// A blockFile is an *os.File.
type blockFile interface {
	io.Writer
	syscall.Conn
}

const (
	directBytes = 1 << 20 // that are written at a time
	diskBlock   = 4096    // of a disk at most: what addresses, places and sizes are multiples of
)

func newDirectFile(file blockFile) *directFile {
	d := &directFile{file: file}
	if d.setDirect(true) == nil {
		d.memory = directBuffers.Get()
		b := d.memory[:]
		skip := -uintptr(unsafe.Pointer(&b[0])) % diskBlock // for the address alone
		d.buffer = b[skip:][:directBytes]
	}
	return d
}

func (d *directFile) Write(b []byte) (written int, err error) {
	for d.buffer != nil && written < len(b) {
		n := copy(d.buffer[d.n:], b[written:])
		written += n
		if d.n += n; d.n == len(d.buffer) {
			if err := d.writeBuffer(); err != nil {
				return written, err
			}
		}
	}
	if written == len(b) {
		return written, nil
	}
	n, err := d.file.Write(b[written:])
	return written + n, err
}

// writeBuffer writes the buffer when it is full. A file system may accept the flag and refuse to write: everything, or
// the remainder of a write that ended inside a block.
func (d *directFile) writeBuffer() error {
	n, err := d.file.Write(d.buffer)
	if errors.Is(err, unix.EINVAL) {
		d.n = copy(d.buffer, d.buffer[n:])
		return d.Flush()
	}
	d.n = 0
	return err
}

// Flush writes the buffer, and all that follows, through the cache.
func (d *directFile) Flush() error {
	if d.buffer == nil {
		return nil
	}
	rest := d.buffer[:d.n]
	d.buffer, d.n = nil, 0
	defer directBuffers.Put(d.memory)
	if err := d.setDirect(false); err != nil {
		return err
	}
	_, err := d.file.Write(rest)
	return err
}

// setDirect sets or clears O_DIRECT.
func (d *directFile) setDirect(direct bool) error {
	raw, err := d.file.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
		if direct {
			flags |= unix.O_DIRECT
		} else {
			flags &^= unix.O_DIRECT
		}
		if failed = err; failed == nil {
			_, failed = unix.FcntlInt(fd, unix.F_SETFL, flags)
		}
	})
	return cmp.Or(err, failed)
}
