package dev.weir.kafka.internal.handler;

import dev.weir.kafka.HandlerTimeoutException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A call on the current thread that is interrupted if it takes too long. The thread is interrupted at most once, and
 * never after the call has ended. The timer may fire on any thread.
 */
final class TimedCall {

    private final Thread thread = Thread.currentThread();
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private boolean ended;
    private boolean interrupted;

    /** Begins a call on the current thread. For tests. */
    TimedCall() {}

    /** Calls {@code body}. Throws a {@link HandlerTimeoutException} if {@code body} throws after the interrupt. */
    static <R> R call(Callable<R> body, Duration timeout, ConsumerRecord<?, ?> record) throws Exception {
        TimedCall call = new TimedCall();
        CompletableFuture<Boolean> timer =
                new CompletableFuture<Boolean>().completeOnTimeout(true, timeout.toNanos(), TimeUnit.NANOSECONDS);
        var ignored = timer.thenAccept(due -> call.interrupt());
        try {
            return body.call();
        } catch (Throwable thrown) {
            if (call.end()) {
                throw new HandlerTimeoutException(record, timeout, thrown);
            }
            throw thrown;
        } finally {
            boolean unusedAnswer = call.end();
            boolean unused = timer.cancel(false);
        }
    }

    void interrupt() {
        lock.lock();
        try {
            if (!ended) {
                interrupted = true;
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends the call and clears an interrupt that the timeout caused. Returns whether there was one. */
    boolean end() {
        lock.lock();
        try {
            if (!ended) {
                ended = true;
                // Thread.interrupted() may also clear an interrupt that cancels the run. The stage does not need that
                // interrupt.
                boolean unused = interrupted && Thread.interrupted();
            }
            return interrupted;
        } finally {
            lock.unlock();
        }
    }
}
