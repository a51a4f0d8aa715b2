package dev.weir.stream.internal.junction;

import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.List;

/**
 * One input of a stage that pulls several inputs, and the next element of its current batch. Confined to the stage's
 * thread.
 */
final class PulledInput<T> {

    private final Stage<T> upstream;
    private Batch<T> batch = new Batch<>(0);
    private int next;
    private boolean ended;

    PulledInput(Stage<T> upstream) {
        this.upstream = upstream;
    }

    /** Pulls a batch if no element is available. Returns false at the deadline or if the input has {@link #ended}. */
    boolean isReady(long deadlineNanos) throws InterruptedException {
        if (isAtHand()) {
            return true;
        }
        if (!ended) {
            Batch<T> pulled = upstream.pull(deadlineNanos);
            ended = pulled == null;
            batch = pulled == null ? new Batch<>(0) : pulled;
            next = 0;
        }
        return isAtHand();
    }

    boolean isAtHand() {
        return next < batch.size();
    }

    boolean ended() {
        return ended;
    }

    int atHand() {
        return batch.size() - next;
    }

    T value() {
        return batch.get(next);
    }

    AckTarget target() {
        return batch.target(next);
    }

    long token() {
        return batch.token(next);
    }

    void skip() {
        next++;
    }

    /** Forgoes the available elements, because the stream has ended. */
    void forgoRest() {
        int first = next;
        next = batch.size();
        batch.forgoFrom(first);
    }

    void moveTo(Batch<T> out) {
        out.add(value(), target(), token());
        next++;
    }

    /** Takes all available elements as one batch, which is the pulled batch if no element was taken from it. */
    Batch<T> takeAll() {
        Batch<T> rest = batch;
        if (next > 0) {
            rest = new Batch<>(atHand());
            while (isAtHand()) {
                moveTo(rest);
            }
        }
        batch = new Batch<>(0);
        next = 0;
        return rest;
    }

    /** Closes two inputs and abandons their available elements. */
    static void closeBoth(PulledInput<?> left, PulledInput<?> right) {
        FailureTransfer.runAll(
                List.of(left::abandonRest, right::abandonRest, left.upstream::close, right.upstream::close));
    }

    private void abandonRest() {
        int first = next;
        next = batch.size();
        batch.abandonFrom(first);
    }
}
