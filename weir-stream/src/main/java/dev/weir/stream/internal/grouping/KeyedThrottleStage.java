package dev.weir.stream.internal.grouping;

import dev.weir.stream.internal.run.Node;
import dev.weir.stream.internal.run.StageEntry.Keeper;
import dev.weir.stream.internal.run.StageEntry.Kept;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lets the elements of each key pass at a rate, and holds those that come too early while others overtake them.
 * Confined to the thread of its segment, except for what it holds, which is under its lock.
 */
final class KeyedThrottleStage<T> extends HoldingStage<T> implements Keeper {

    // An element pays when it comes, on credit if need be, and so learns its time at once. The times of a key grow, so
    // that the order of all times, and of arrival where they are equal, keeps the order of each key.

    /** An element that came too early, and its place among all that did. */
    private record Early<T>(T element, Object key, AckTarget target, long token, long readyNanos, long number) {

        static int compare(Early<?> one, Early<?> other) {
            long nanos = one.readyNanos - other.readyNanos;
            return nanos == 0 ? Long.compare(one.number, other.number) : Long.signum(nanos);
        }
    }

    private final Function<? super T, ?> key;
    /** Of each key. */
    private final double perSecond;

    private final KeyedBuckets buckets;
    /** Under the lock: others take out what its source has lost. */
    private final PriorityQueue<Early<T>> early = new PriorityQueue<>(Early::compare);

    private long heldSoFar;

    private KeyedThrottleStage(Parts<T> parts, Function<? super T, ?> key, KeyedBuckets buckets, double perSecond) {
        super(parts);
        this.perSecond = perSecond;
        this.key = key;
        this.buckets = buckets;
    }

    static <T> Node<T> node(Node<T> above, ThrottleStage.Rate<T> rate, Function<? super T, ?> key, int maxHeld) {
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
        lock.lock();
        try {
            return early.size();
        } finally {
            lock.unlock();
        }
    }

    @Override
    long firstReadyNanos() {
        lock.lock();
        try {
            Early<T> first = early.peek();
            return first == null ? NEVER : first.readyNanos;
        } finally {
            lock.unlock();
        }
    }

    private void hold(Early<T> one) {
        lock.lock();
        try {
            early.add(one);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public @Nullable Kept find(AckTarget of, long ofToken) {
        lock.lock();
        try {
            for (Early<T> each : early) {
                if (each.target.standsFor(each.token, of, ofToken)) {
                    return new Kept(Objects.requireNonNull(each.element), false);
                }
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void dropRevoked() {
        List<Early<T>> revoked = new ArrayList<>();
        lock.lock();
        try {
            early.removeIf(each -> each.target.isRevoked(each.token) && revoked.add(each));
            depth = early.size();
            less.signal();
        } finally {
            lock.unlock();
        }
        for (Early<T> each : revoked) {
            boolean ignored = each.target.dropIfRevoked(each.token);
        }
    }

    @Override
    void takeIn(Batch<T> batch) throws InterruptedException {
        long now = clock.nanoTime();
        int kept = 0;
        buckets.forgetFull(now);
        // Not past one whose time has come meanwhile: it may have the same key.
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
                        hold(new Early<>(
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
        List<Early<T>> left;
        lock.lock();
        try {
            left = List.copyOf(early);
            early.clear();
        } finally {
            lock.unlock();
        }
        left.forEach(each -> each.target.abandon(each.token));
    }

    /** Null if the element has been dropped. */
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
        lock.lock();
        try {
            Early<T> first = early.peek();
            while (first != null && now - first.readyNanos >= 0 && out.size() < Batch.DEFAULT_CAPACITY) {
                early.remove();
                buckets.touch(first.key);
                out.add(Objects.requireNonNull(first.element), first.target, first.token);
                first = early.peek();
            }
        } finally {
            lock.unlock();
        }
        return out;
    }
}
