package dev.weir.stream.internal.failure;

import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.NestedStreams;
import dev.weir.stream.internal.run.StageEntry;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import dev.weir.stream.spi.Thrown;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Continues with a replacement when the upstream stages fail: an element, a source, or no elements. The failed stages
 * are closed first. Confined to the stage's thread.
 */
final class RecoverStage<T> implements Stage<T> {

    private final Function<Throwable, @Nullable Supplier<Stage<T>>> remedy;
    private final StageMeter meter;

    private Stage<T> current;
    private int attemptsLeft;

    private RecoverStage(
            Stage<T> upstream,
            int attempts,
            Function<Throwable, @Nullable Supplier<Stage<T>>> remedy,
            StageMeter meter) {
        this.current = upstream;
        this.attemptsLeft = attempts;
        this.remedy = remedy;
        this.meter = meter;
    }

    /** Recovers with one last element. Rethrows the failure if {@code function} returns null. */
    static <T> BlueprintNode<T> lastElement(
            BlueprintNode<T> above, Function<? super Throwable, ? extends @Nullable T> function) {
        return new BlueprintNode<>("recover", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            Function<Throwable, @Nullable Supplier<Stage<T>>> remedy = failure -> {
                T last = function.apply(failure);
                return last == null ? null : () -> new Rest<>(last);
            };
            return new RecoverStage<>(
                    upstream, 1, remedy, assembly.fused(attributes).meter());
        });
    }

    /** Completes the stream after a failure that matches {@code harmless}. */
    static <T> BlueprintNode<T> end(BlueprintNode<T> above, Predicate<? super Throwable> harmless) {
        return new BlueprintNode<>("onErrorComplete", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            Function<Throwable, @Nullable Supplier<Stage<T>>> remedy =
                    failure -> harmless.test(failure) ? () -> new Rest<>(null) : null;
            return new RecoverStage<>(
                    upstream, 1, remedy, assembly.fused(attributes).meter());
        });
    }

    static <T> BlueprintNode<T> source(
            BlueprintNode<T> above,
            int attempts,
            Function<? super Throwable, ? extends @Nullable BlueprintNode<T>> replacement) {
        if (attempts < 1) {
            throw new IllegalArgumentException("attempts must be at least 1: attempts=" + attempts);
        }
        return new BlueprintNode<>("recoverWith", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            assembly.noteWaits();
            NestedStreams nested = assembly.nested();
            StageEntry entry = assembly.fused(attributes);
            Function<Throwable, @Nullable Supplier<Stage<T>>> remedy = failure -> {
                BlueprintNode<T> other = replacement.apply(failure);
                return other == null ? null : () -> nested.start(other);
            };
            return new RecoverStage<>(upstream, attempts, remedy, entry.meter());
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        while (true) {
            try {
                Batch<T> batch = current.pull(deadlineNanos);
                if (batch != null) {
                    meter.in(batch.size());
                    meter.out(batch.size());
                }
                return batch;
            } catch (Throwable failure) {
                if (attemptsLeft == 0 || !FailureHelpers.isRecoverable(failure)) {
                    throw FailureTransfer.rethrowFromAbove(failure);
                }
                attemptsLeft--;
                replace(failure);
            }
        }
    }

    private void replace(Throwable failure) {
        try {
            Supplier<Stage<T>> next = remedy.apply(failure);
            if (next == null) {
                attemptsLeft = 0;
                throw FailureTransfer.rethrow(failure);
            }
            Stage<T> failed = current;
            current = new Rest<>(null);
            failed.close();
            current = next.get();
        } catch (RuntimeException | Error inRemedy) {
            if (inRemedy != failure && Thrown.cause(inRemedy) != failure) {
                inRemedy.addSuppressed(failure);
            }
            throw inRemedy;
        }
    }

    @Override
    public void close() {
        current.close();
    }

    /** The remaining stream after a recovery: one element or none. */
    private static final class Rest<T> implements Stage<T> {

        private @Nullable T last;

        Rest(@Nullable T last) {
            this.last = last;
        }

        @Override
        public @Nullable Batch<T> pull(long deadlineNanos) {
            T element = last;
            if (element == null) {
                return null;
            }
            last = null;
            return Batch.unacknowledged(new Object[] {element}, 1);
        }

        @Override
        public void close() {}
    }
}
