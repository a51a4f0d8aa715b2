package dev.weir.stream.internal.grouping;

import dev.weir.stream.internal.failure.Supervised;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lets the elements of each key pass at a rate, and holds those that come too early while others overtake them. Takes in
 * while it holds less than its bound, and then one batch more at most. The end and a failure from above wait behind what is
 * held.
 */
final class KeyedThrottleStage<T> implements Stage<T> {

    // An element pays when it comes, on credit if need be, and so learns its time at once. The times of a key grow, so
    // that the order of all times, and of arrival where they are equal, keeps the order of each key.

    /** An element that came too early, and its place among all that did. */
    private record Early<T>(T element, Object key, AckTarget target, long token, long readyNanos, long number) {

        static int compare(Early<?> one, Early<?> other) {
            long nanos = one.readyNanos - other.readyNanos;
            return nanos == 0 ? Long.compare(one.number, other.number) : Long.signum(nanos);
        }
    }

    private final Intake<T> intake;
    private final Function<? super T, ?> key;
    private final KeyedBuckets buckets;
    private final int maxHeld;
    private final Supervised supervised;
    private final StageMeter meter;
    private final Clock clock;

    private final PriorityQueue<Early<T>> early = new PriorityQueue<>(Early::compare);
    private long held;

    /** The size of what is held, for gauges. Written by the segment. */
    private volatile int depth;

    private KeyedThrottleStage(
            Intake<T> intake,
            Function<? super T, ?> key,
            KeyedBuckets buckets,
            int maxHeld,
            Supervised supervised,
            StageMeter meter,
            Clock clock) {
        this.intake = intake;
        this.key = key;
        this.buckets = buckets;
        this.maxHeld = maxHeld;
        this.supervised = supervised;
        this.meter = meter;
        this.clock = clock;
    }

    static <T> Node<T> node(Node<T> above, ThrottleStage.Rate<T> rate, Function<? super T, ?> key, int maxHeld) {
        if (maxHeld < 1) {
            throw new IllegalArgumentException("maxHeld must be at least 1: maxHeld=" + maxHeld);
        }
        TokenBucket pattern = new TokenBucket(rate.permits(), rate.perNanos(), rate.burst(), 0);
        return new Node<>("throttlePerKey", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            var entry = assembly.fused(attributes);
            KeyedThrottleStage<T> stage = new KeyedThrottleStage<>(
                    new Intake<>(upstream),
                    key,
                    new KeyedBuckets(pattern),
                    attributes.bufferOr(maxHeld),
                    Supervised.by(attributes, assembly.clock()),
                    entry.meter(),
                    assembly.clock());
            entry.depth(() -> stage.depth);
            return stage;
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        while (true) {
            Early<T> first = early.peek();
            if (first != null && clock.hasPassed(first.readyNanos)) {
                return release();
            }
            if (intake.isEnded() && first == null) {
                return intake.end();
            }
            long until = first == null ? deadlineNanos : Deadlines.earlier(deadlineNanos, first.readyNanos);
            if (intake.isEnded() || early.size() >= maxHeld) {
                clock.sleepUntil(until);
            } else {
                Batch<T> batch = intake.pull(until);
                if (batch != null && batch.isEmpty() && !isFirstReady()) {
                    return batch;
                }
                if (batch != null && !batch.isEmpty()) {
                    takeIn(batch);
                    if (!batch.isEmpty()) {
                        return batch;
                    }
                }
            }
            if (clock.hasPassed(deadlineNanos) && !isFirstReady()) {
                return new Batch<>(0);
            }
        }
    }

    private boolean isFirstReady() {
        Early<T> first = early.peek();
        return first != null && clock.hasPassed(first.readyNanos);
    }

    /** Leaves in the batch what may go on at once. */
    private void takeIn(Batch<T> batch) throws InterruptedException {
        long start = System.nanoTime();
        long now = clock.nanoTime();
        int size = batch.size();
        int kept = 0;
        buckets.forgetFull(now);
        // Not past one whose time has come meanwhile: it may have the same key.
        Early<T> first = early.peek();
        boolean mayPass = first == null || now - first.readyNanos < 0;
        try {
            for (int i = 0; i < size; i++) {
                Object of = keyOf(batch, i);
                if (of != null) {
                    long waitNanos = buckets.of(of, now).take(1, now);
                    if (mayPass && waitNanos == 0) {
                        batch.move(i, kept++);
                    } else {
                        early.add(new Early<>(
                                batch.get(i), of, batch.target(i), batch.token(i), now + waitNanos, held++));
                    }
                }
            }
        } catch (RuntimeException | Error failure) {
            early.clear();
            intake.fail(failure);
        }
        batch.truncate(kept);
        depth = early.size();
        meter.worked(size, kept, start);
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

    private Batch<T> release() {
        long now = clock.nanoTime();
        Batch<T> out = new Batch<>(Math.min(early.size(), 64));
        Early<T> first = early.peek();
        while (first != null && now - first.readyNanos >= 0 && out.size() < Batch.DEFAULT_CAPACITY) {
            early.remove();
            buckets.touch(first.key);
            out.add(Objects.requireNonNull(first.element), first.target, first.token);
            first = early.peek();
        }
        depth = early.size();
        meter.out(out.size());
        return out;
    }

    @Override
    public void close() {
        intake.close();
    }
}
