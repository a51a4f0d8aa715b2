package dev.weir.kafka.internal.in.buffer;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Finds out whether a lock is free. */
final class OtherThread {

    private static final int PATIENCE_SECONDS = 10;

    private OtherThread() {}

    /** Returns whether another thread can complete the call. If not, the calling thread holds a lock. */
    static boolean canCall(Supplier<?> call) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> done.complete(call.get() != null));
        try {
            return done.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException held) {
            return false;
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }
}
