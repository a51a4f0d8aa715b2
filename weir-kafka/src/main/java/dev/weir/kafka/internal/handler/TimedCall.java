package dev.weir.kafka.internal.handler;

import dev.weir.kafka.HandlerTimeoutException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * One call on the current thread that is interrupted when it takes too long: at most once, and never after the call has
 * ended. The timer may fire on any thread.
 */
final class TimedCall {

    private final Thread thread = Thread.currentThread();
    private final ReentrantLock lock = new ReentrantLock();

    // Under the lock.
    private boolean ended;
    private boolean interrupted;

    /** Begins one on the calling thread; for tests, others use {@link #call}. */
    TimedCall() {}

    /** Calls {@code body}; what it throws after it was interrupted is the cause of the timeout. */
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

    /**
     * Ends the time in which it may be interrupted; returns whether it was, and takes the interrupt back if nobody has.
     */
    boolean end() {
        lock.lock();
        try {
            if (!ended) {
                ended = true;
                // If the run is being cancelled at the same time, the stage knows that without the flag.
                boolean unused = interrupted && Thread.interrupted();
            }
            return interrupted;
        } finally {
            lock.unlock();
        }
    }
}
