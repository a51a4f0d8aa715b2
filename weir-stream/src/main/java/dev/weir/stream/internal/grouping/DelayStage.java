package dev.weir.stream.internal.grouping;

import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.run.ArgumentChecks;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.StageEntry.Kept;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Delays each element individually without changing the order. A failure of the input is passed on after the held
 * elements. Confined to the stage's thread, with the exceptions stated in the base class.
 */
final class DelayStage<T> extends HoldingStage<T> {

    /** Longest supported delay, 146 years, which can be added to a time without overflow. */
    private static final long LONGEST_NANOS = NEVER / 2;

    private final Function<? super T, Duration> delay;

    /** The held elements. An element's mark is the time at which it may leave. */
    private final ElementRing<T> held = new ElementRing<>();

    private DelayStage(Parts<T> parts, Function<? super T, Duration> delay) {
        super(parts);
        this.delay = delay;
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> above, Function<? super T, Duration> delay, int maxHeld) {
        return node("delay", above, maxHeld, parts -> new DelayStage<>(parts, delay));
    }

    @Override
    int held() {
        return held.size();
    }

    @Override
    long firstReadyNanos() {
        return held.firstMark();
    }

    @Override
    void takeIn(Batch<T> batch) throws InterruptedException {
        long now = clock.nanoTime();
        for (int i = 0; i < batch.size(); i++) {
            long nanos;
            try {
                nanos = nanosOf(batch.get(i));
            } catch (Throwable thrown) {
                Object outcome = supervised.after(thrown, this::nanosOf, batch, 0, i);
                if (outcome instanceof FailureVerdict verdict) {
                    if (verdict.fails()) {
                        intake.fail(verdict.failure());
                        break;
                    }
                    verdict.settle(batch.target(i), batch.token(i));
                    continue;
                }
                nanos = (long) outcome;
            }
            // The ring keeps the order: an early element waits for its predecessors.
            held.add(batch, i, now + nanos);
        }
        batch.truncate(0);
    }

    @Override
    void abandon() {
        held.abandonAll();
    }

    @Override
    Batch<?> takeRevoked() {
        return held.takeRevoked();
    }

    @Override
    @Nullable
    Kept findHeld(AckTarget of, long ofToken) {
        for (int offset = 0; offset < held.size(); offset++) {
            if (held.target(offset).standsFor(held.token(offset), of, ofToken)) {
                return new Kept(held.value(offset), false);
            }
        }
        return null;
    }

    private long nanosOf(T element) {
        return Math.min(
                ArgumentChecks.nanos(Objects.requireNonNull(delay.apply(element), "the time of delay is null")),
                LONGEST_NANOS);
    }

    @Override
    Batch<T> release() {
        long now = clock.nanoTime();
        Batch<T> out = new Batch<>(Math.min(held.size(), Batch.DEFAULT_CAPACITY));
        while (out.size() < Batch.DEFAULT_CAPACITY && !held.isEmpty() && now - held.firstMark() >= 0) {
            held.moveFirst(out);
        }
        return out;
    }
}
