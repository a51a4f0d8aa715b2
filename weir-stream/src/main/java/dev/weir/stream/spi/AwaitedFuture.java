package dev.weir.stream.spi;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A future that threads use to wait for the end of a run. Threads that wait for it, or for a future derived from it,
 * are tracked by {@link EndAwaiters}, in the same way as threads that wait for the run itself.
 */
public final class AwaitedFuture<T> extends CompletableFuture<T> {

    private final EndAwaiters awaiters;

    /** Creates an incomplete future whose waiting threads are tracked by {@code awaiters}. */
    public AwaitedFuture(EndAwaiters awaiters) {
        this.awaiters = awaiters;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new AwaitedFuture<>(awaiters);
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        awaiters.enter();
        try {
            return super.get();
        } finally {
            awaiters.leave();
        }
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        awaiters.enter();
        try {
            return super.get(timeout, unit);
        } finally {
            awaiters.leave();
        }
    }

    @Override
    public T join() {
        awaiters.enter();
        try {
            return super.join();
        } finally {
            awaiters.leave();
        }
    }
}
