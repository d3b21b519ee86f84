//go:build cuda && linux && amd64

package driver

/*
#include <cuda.h>

enum { PLAIN, EARLY, COOPERATIVE };

// A launch that may be cooperative, or early: it may start before the preceding kernels have completed. Each argument
// is a word.
static CUresult arrowsort_launch(CUfunction f, unsigned blocks, unsigned threads, unsigned shared, CUstream s,
	unsigned long long *words, int count, int how) {
	void *arguments[count + 1];
	for (int i = 0; i < count; i++) arguments[i] = &words[i];
	CUlaunchAttribute attribute = {
		how == COOPERATIVE ? CU_LAUNCH_ATTRIBUTE_COOPERATIVE : CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION};
	if (how == COOPERATIVE) attribute.value.cooperative = 1;
	else attribute.value.programmaticStreamSerializationAllowed = 1;
	CUlaunchConfig c = {
		.gridDimX = blocks, .gridDimY = 1, .gridDimZ = 1, .blockDimX = threads, .blockDimY = 1, .blockDimZ = 1,
		.sharedMemBytes = shared, .hStream = s, .attrs = &attribute, .numAttrs = how != PLAIN,
	};
	return cuLaunchKernelEx(&c, f, arguments, NULL);
}
*/
import "C"

import (
	"unsafe"

	"gorgonia.org/cu"
)

// A Stream is a queue of work for the device, which is done in order. Streams wait for one another only at events.
type Stream struct {
	context *Context
	stream  cu.Stream
	busy    bool // work was queued since Wait
}

// NewStream makes a stream that lives as long as the context.
func (c *Context) NewStream() (*Stream, error) {
	s, err := cu.MakeStream(cu.NonBlocking)
	if err == nil {
		c.own(func(r *resources) { r.streams = append(r.streams, s) })
	}
	return &Stream{context: c, stream: s}, describe("making a stream", err)
}

// Handle is the driver's handle of the stream, for work that others queue in it (benchmarks/cub).
func (s *Stream) Handle() uint64 {
	return uint64(uintptr(unsafe.Pointer(*(*C.CUstream)(unsafe.Pointer(&s.stream)))))
}

// Wait returns when all queued work is done, with its first error.
func (s *Stream) Wait() error {
	if !s.busy {
		return nil
	}
	err := describe("running on "+s.context.Name, s.stream.Synchronize())
	s.busy = err != nil
	return err
}

// An Event is a point of a stream.
type Event struct{ event cu.Event }

// NewEvent makes an event that lives as long as the context.
func (c *Context) NewEvent() (Event, error) {
	e, err := cu.MakeEvent(cu.DisableTiming)
	if err == nil {
		c.own(func(r *resources) { r.events[e] = true })
	}
	return Event{e}, describe("making an event", err)
}

// Record sets the event after all work queued in the stream.
func (s *Stream) Record(e Event) error {
	s.busy = true
	return describe("recording an event", e.event.Record(s.stream))
}

// After makes work queued from now on wait until another stream has passed the event, as last recorded.
func (s *Stream) After(e Event) error {
	s.busy = true
	return describe("waiting for another stream", s.stream.Wait(e.event, 0))
}

// WaitFor returns when the stream of the event has passed it.
func (c *Context) WaitFor(e Event) error {
	return describe("running on "+c.Name, e.event.Synchronize())
}

// Passed reports whether the stream has completed all queued work.
func (s *Stream) Passed() (bool, error) {
	err := s.stream.Query()
	if err == cu.NotReady {
		return false, nil
	}
	return err == nil, describe("running on "+s.context.Name, err)
}

// Zero fills memory with zeros.
func (s *Stream) Zero(p Ptr, bytes int) error {
	s.busy = true
	return describe("clearing memory", cu.MemsetD8Async(cu.DevicePtr(p), 0, int64(bytes), s.stream))
}

// Copy copies within the memory of the device.
func (s *Stream) Copy(dst, src Ptr, bytes int) error {
	s.busy = true
	return describe("copying on the device", cu.MemcpyDtoDAsync(cu.DevicePtr(dst), cu.DevicePtr(src), int64(bytes),
		s.stream))
}

// Upload copies pinned memory of the host, which stays as it is until the stream has passed.
func (s *Stream) Upload(dst Ptr, src []byte) error {
	s.busy = true
	return describe("copying to the device", cu.MemcpyHtoDAsync(cu.DevicePtr(dst),
		unsafe.Pointer(unsafe.SliceData(src)), int64(len(src)), s.stream))
}

// Download copies into pinned memory of the host.
func (s *Stream) Download(dst []byte, src Ptr) error {
	s.busy = true
	return describe("copying from the device",
		cu.MemcpyDtoHAsync(unsafe.Pointer(unsafe.SliceData(dst)), cu.DevicePtr(src), int64(len(dst)), s.stream))
}

// CopyFrom copies from the memory of another context: directly after Reach, else the driver copies through pinned
// memory of the host. The other context's work is complete, and its memory stays until the stream has passed.
func (s *Stream) CopyFrom(dst Ptr, peer *Context, src Ptr, bytes int) error {
	s.busy = true
	return describe("copying from "+peer.Name, cu.MemcpyPeerAsync(cu.DevicePtr(dst), s.context.ctx, cu.DevicePtr(src),
		peer.ctx, int64(bytes), s.stream))
}

// Launch queues a kernel, by its position in kernels.All. The arguments are 64-bit words, or the words of the structure
// that is the only argument: for the driver both are contiguous words. early is for kernels that themselves wait for
// preceding ones: where the device supports that, they start while these end. A cooperative kernel that is Refused does
// not fit from then on.
func (s *Stream) Launch(early bool, kernel, blocks int, args []uint64) error {
	s.busy = true
	f := &s.context.functions[kernel]
	how := C.int(C.PLAIN)
	if f.Cooperative() {
		how = C.COOPERATIVE
	} else if early && s.context.Major >= 9 {
		how = C.EARLY
	}
	// cu's function and stream hold nothing but the driver's handles.
	handle, stream := *(*C.CUfunction)(unsafe.Pointer(&f.Function)), *(*C.CUstream)(unsafe.Pointer(&s.stream))
	words := (*C.ulonglong)(unsafe.Pointer(unsafe.SliceData(args)))
	code := C.arrowsort_launch(handle, C.uint(blocks), C.uint(f.Threads), C.uint(f.Shared), stream, words,
		C.int(len(args)), how)
	if code == refused {
		f.fits = false // others may hold a part of the device for as long as they run
	}
	return check("launching "+f.Name, code)
}
