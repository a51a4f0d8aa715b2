package dev.weir.stream.spi;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A future for the end of a run. {@link EndAwaiters} tracks the threads that wait for it or for a derived future. */
public final class AwaitedFuture<T> extends CompletableFuture<T> {

    private final EndAwaiters awaiters;

    /** Creates an incomplete future whose waiting threads {@code awaiters} tracks. */
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
