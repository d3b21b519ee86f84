// Package workers runs tasks on several goroutines. No goroutine outlives the call that started it. A panic of a task
// continues on the goroutine of the caller.
package workers
