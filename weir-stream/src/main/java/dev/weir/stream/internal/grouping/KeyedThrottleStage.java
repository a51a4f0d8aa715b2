package dev.weir.stream.internal.grouping;

import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.StageEntry.Kept;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Limits the rate of each key. Elements that are too early are held, and elements of other keys overtake them. Confined
 * to the stage's thread, with the exceptions stated in the base class.
 */
final class KeyedThrottleStage<T> extends HoldingStage<T> {

    // Each element takes its permit on arrival, on credit if necessary. Sorting by permit time and then by arrival
    // keeps the order within each key.

    /** A held element, with its arrival number among all held elements. */
    private record Early<T>(T element, Object key, AckTarget target, long token, long readyNanos, long number) {

        static int compare(Early<?> one, Early<?> other) {
            long nanos = one.readyNanos - other.readyNanos;
            return nanos == 0 ? Long.compare(one.number, other.number) : Long.signum(nanos);
        }
    }

    private final Function<? super T, ?> key;
    /** Rate of each key, in elements per second. */
    private final double perSecond;

    private final KeyedBuckets buckets;
    private final PriorityQueue<Early<T>> early = new PriorityQueue<>(Early::compare);

    private long heldSoFar;

    private KeyedThrottleStage(Parts<T> parts, Function<? super T, ?> key, KeyedBuckets buckets, double perSecond) {
        super(parts);
        this.perSecond = perSecond;
        this.key = key;
        this.buckets = buckets;
    }

    static <T> BlueprintNode<T> node(
            BlueprintNode<T> above, ThrottleStage.Rate<T> rate, Function<? super T, ?> key, int maxHeld) {
        TokenBucket pattern = new TokenBucket(rate.permits(), rate.perNanos(), rate.burst(), 0);
        return node(
                "throttlePerKey",
                above,
                maxHeld,
                parts -> new KeyedThrottleStage<>(
                        parts, key, new KeyedBuckets(pattern), (double) rate.permits() / rate.perNanos() * 1e9));
    }

    @Override
    Double perSecond() {
        return perSecond;
    }

    @Override
    int held() {
        return early.size();
    }

    @Override
    long firstReadyNanos() {
        Early<T> first = early.peek();
        return first == null ? NEVER : first.readyNanos;
    }

    @Override
    @Nullable
    Kept findHeld(AckTarget of, long ofToken) {
        for (Early<T> each : early) {
            if (each.target.standsFor(each.token, of, ofToken)) {
                return new Kept(Objects.requireNonNull(each.element), false);
            }
        }
        return null;
    }

    @Override
    Batch<?> takeRevoked() {
        Batch<?> revoked = new Batch<>(0);
        early.removeIf(each -> {
            boolean isRevoked = each.target.isRevoked(each.token);
            if (isRevoked) {
                revoked.add(Objects.requireNonNull(each.element), each.target, each.token);
            }
            return isRevoked;
        });
        return revoked;
    }

    @Override
    void takeIn(Batch<T> batch) throws InterruptedException {
        long now = clock.nanoTime();
        int kept = 0;
        buckets.forgetFull(now);
        // An arriving element must not overtake a held element that is due, because both may have the same key.
        boolean mayPass = held() == 0 || !clock.hasPassed(firstReadyNanos());
        int i = 0;
        try {
            for (; i < batch.size(); i++) {
                Object of = keyOf(batch, i);
                if (of != null) {
                    long waitNanos = buckets.of(of, now).take(1, now);
                    if (mayPass && waitNanos == 0) {
                        batch.move(i, kept++);
                    } else {
                        early.add(new Early<>(
                                batch.get(i), of, batch.target(i), batch.token(i), now + waitNanos, heldSoFar++));
                    }
                }
            }
        } catch (InterruptedException interrupted) {
            batch.abandonAllBut(kept, i);
            throw interrupted;
        } catch (RuntimeException | Error failure) {
            abandon();
            batch.abandonFrom(i);
            intake.fail(failure);
        }
        batch.truncate(kept);
    }

    @Override
    void abandon() {
        early.forEach(each -> each.target.abandon(each.token));
        early.clear();
    }

    private @Nullable Object keyOf(Batch<T> batch, int index) throws InterruptedException {
        try {
            return key(batch.get(index));
        } catch (Throwable thrown) {
            return supervised.orDrop(thrown, this::key, batch, index);
        }
    }

    private Object key(T element) {
        Object of = Objects.requireNonNull(key.apply(element), "a key of throttlePerKey is null");
        return of instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : of;
    }

    @Override
    Batch<T> release() {
        long now = clock.nanoTime();
        Batch<T> out = new Batch<>(64);
        Early<T> first = early.peek();
        while (first != null && now - first.readyNanos >= 0 && out.size() < Batch.DEFAULT_CAPACITY) {
            early.remove();
            buckets.touch(first.key);
            out.add(Objects.requireNonNull(first.element), first.target, first.token);
            first = early.peek();
        }
        return out;
    }
}
