package dev.weir.stream.internal.grouping;

import dev.weir.stream.internal.failure.Supervised;
import dev.weir.stream.internal.failure.Verdict;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Holds each element for a time of its own without changing the order. Takes in while it holds less than its bound, and
 * then one batch more at most. The end and a failure wait behind what is held.
 */
final class DelayStage<T> implements Stage<T> {

    /** More cannot be added to a time: 146 years. */
    private static final long LONGEST_NANOS = NEVER / 2;

    private final Intake<T> intake;
    private final Function<? super T, Duration> delay;
    private final int maxHeld;
    private final Supervised supervised;
    private final StageMeter meter;
    private final Clock clock;

    /** The mark is the time at which an element may go. */
    private final ElementRing<T> held = new ElementRing<>();

    /** The size of what is held, for gauges. Written by the segment. */
    private volatile int depth;

    private DelayStage(
            Intake<T> intake,
            Function<? super T, Duration> delay,
            int maxHeld,
            Supervised supervised,
            StageMeter meter,
            Clock clock) {
        this.intake = intake;
        this.delay = delay;
        this.maxHeld = maxHeld;
        this.supervised = supervised;
        this.meter = meter;
        this.clock = clock;
    }

    static <T> Node<T> node(Node<T> above, Function<? super T, Duration> delay, int maxHeld) {
        if (maxHeld < 1) {
            throw new IllegalArgumentException("maxHeld must be at least 1: maxHeld=" + maxHeld);
        }
        return new Node<>("delay", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            var entry = assembly.fused(attributes);
            DelayStage<T> stage = new DelayStage<>(
                    new Intake<>(upstream),
                    delay,
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
            if (!held.isEmpty() && clock.hasPassed(held.firstMark())) {
                return release();
            }
            if (intake.isEnded() && held.isEmpty()) {
                return intake.end();
            }
            long until = held.isEmpty() ? deadlineNanos : Deadlines.earlier(deadlineNanos, held.firstMark());
            if (intake.isEnded() || held.size() >= maxHeld) {
                clock.sleepUntil(until);
            } else {
                Batch<T> batch = intake.pull(until);
                if (batch != null && !batch.isEmpty()) {
                    takeIn(batch);
                } else if (batch != null && !isFirstDue()) {
                    return batch;
                }
            }
            if (clock.hasPassed(deadlineNanos) && !isFirstDue()) {
                return new Batch<>(0);
            }
        }
    }

    private boolean isFirstDue() {
        return !held.isEmpty() && clock.hasPassed(held.firstMark());
    }

    private void takeIn(Batch<T> batch) throws InterruptedException {
        long start = System.nanoTime();
        long now = clock.nanoTime();
        for (int i = 0; i < batch.size(); i++) {
            long nanos;
            try {
                nanos = nanosOf(batch.get(i));
            } catch (Throwable thrown) {
                Object outcome = supervised.after(thrown, this::nanosOf, batch.get(i));
                if (outcome instanceof Verdict verdict) {
                    verdict.throwIfFails();
                    verdict.settle(batch.target(i), batch.token(i));
                    continue;
                }
                nanos = (long) outcome;
            }
            // One that may go sooner than those before it waits for them in the ring.
            held.add(batch, i, now + nanos);
        }
        depth = held.size();
        meter.worked(batch.size(), 0, start);
    }

    private long nanosOf(T element) {
        return Math.min(Deadlines.nanos(delay.apply(element)), LONGEST_NANOS);
    }

    private Batch<T> release() {
        long now = clock.nanoTime();
        Batch<T> out = new Batch<>(Math.min(held.size(), Batch.DEFAULT_CAPACITY));
        while (out.size() < Batch.DEFAULT_CAPACITY && !held.isEmpty() && now - held.firstMark() >= 0) {
            held.moveFirst(out);
        }
        depth = held.size();
        meter.out(out.size());
        return out;
    }

    @Override
    public void close() {
        intake.close();
    }
}
