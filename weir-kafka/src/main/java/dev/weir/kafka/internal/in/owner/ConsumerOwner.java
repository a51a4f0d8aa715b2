package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.internal.in.fetch.OwnerWaits;
import dev.weir.kafka.internal.in.lookup.ConsumerPhase;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The owner thread of one consumer, with its {@linkplain OwnerRequests requests}, {@linkplain OwnerWaits waits} and
 * phase. Only the owner thread may call {@link #enter}, {@link #own}, {@link #clearSignal} and {@link #ended}.
 */
final class ConsumerOwner implements OwnerThread {

    private static final long LOOK_MILLIS = 500;

    private static final String OWNER_EXITS =
            "a consumer is not closed: its thread called System.exit, which does not return";

    private final OwnerWaits waiting;
    private final OwnerRequests requests;
    private final Consumer<Throwable> onFailure;
    private final CompletableFuture<String> closed = new CompletableFuture<>();

    /** Written by the owner thread. */
    private volatile ConsumerPhase phase = ConsumerPhase.RUNNING;

    /**
     * Creates an owner in the {@link ConsumerPhase#RUNNING} phase.
     *
     * @param onFailure receives failures; may be called by any thread
     */
    ConsumerOwner(OwnerWaits waiting, OwnerRequests requests, Consumer<Throwable> onFailure) {
        this.waiting = waiting;
        this.requests = requests;
        this.onFailure = onFailure;
    }

    @Override
    public void execute(Runnable request) {
        requests.add(request);
    }

    @Override
    public void wake() {
        waiting.wake();
    }

    @Override
    public ConsumerPhase phase() {
        return phase;
    }

    @Override
    public void fail(Throwable failure) {
        onFailure.accept(failure);
    }

    @Override
    public long withinPatience(long nanos) {
        return requests.withinPatience(nanos);
    }

    @Override
    public boolean awaitOrEnd(CompletableFuture<?> done) {
        CompletableFuture.anyOf(done, closed).join();
        return done.isDone();
    }

    private boolean isClosedSoon() {
        // A copy, because the timeout must not complete `closed` itself.
        String ignored = closed.copy()
                .completeOnTimeout("", LOOK_MILLIS, TimeUnit.MILLISECONDS)
                .join();
        return closed.isDone();
    }

    /**
     * Waits until the consumer and its thread have ended. Returns a description of the unfinished work. Must not be
     * called on the owner thread.
     */
    String awaitEnd() {
        while (!isClosedSoon()) {
            if (waiting.isOwnerExiting()) {
                return OWNER_EXITS;
            }
        }
        waiting.awaitOwnerGone();
        return closed.join();
    }

    /** Returns a description of the unfinished work; empty before the consumer has ended. */
    String leftUndone() {
        return closed.getNow("");
    }

    // ---- Owner thread ----------------------------------------------------------------------------------------------

    void own() {
        waiting.own();
    }

    /** Clears the signal. The caller must then check everything that may have raised it. */
    void clearSignal() {
        waiting.clearSignal();
    }

    /** Enters a later phase. Returns false if {@code next} is not later than the current phase. */
    boolean enter(ConsumerPhase next) {
        if (next.compareTo(phase) <= 0) {
            return false;
        }
        phase = next;
        return true;
    }

    void ended(String leftUndone) {
        closed.complete(leftUndone);
    }
}
